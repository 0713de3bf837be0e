"""An answer in a line, as a person would say it."""

from asof.facts.names import entity_line
from asof.reading.ask.answer import AnswerItem, FactsAnswer, Holds, Status


def headline(answer: FactsAnswer, limit: int) -> str:
    """Say the answer in one line: what surely holds, what does as far as is known, then what possibly does."""
    if answer.status is not Status.ANSWERED:
        return "Unknown."
    line = _line(answer, limit)
    return f"{_capital(answer.hedge)}: {line}" if answer.hedge else line


def why_no_answer(answer: FactsAnswer, example: str) -> str:
    """Say why a question was not answered, with the entities that an unclear name fits.

    Args:
        example: How one of them is chosen.
    """
    rows = [entity_line(one) for one in answer.candidates]
    advice = [f"Choose one, for example: {example}"] if rows else []
    return "\n".join([*answer.notes, *rows, *advice])


def _line(answer: FactsAnswer, limit: int) -> str:
    sure = [item.text for item in answer.items if item.holds is not Holds.POSSIBLY]
    possible = [item for item in answer.items if item.holds is Holds.POSSIBLY]
    if answer.read_as.get("kind") == "yes or no":
        reason = _reason(possible[0]) if possible and not sure else ""
        if reason:
            return f"Yes, {reason}."
        return _capital((sure or [item.text for item in possible])[0]) + "."
    whole = [item.text for item in answer.items if item.holds is Holds.WHOLE]
    partly = [item.text for item in answer.items if item.holds is Holds.PART]
    if whole and partly:
        parts = [_listed(whole, limit), f"for a part of that time {_listed(partly, limit)}"]
    else:
        parts = [_listed(sure, limit)] if sure else []
    for reason in dict.fromkeys(_reason(item) for item in possible):
        texts = [item.text for item in possible if _reason(item) == reason]
        parts.append(f"{_listed(texts, limit)}, {reason}" if reason else f"possibly {_listed(texts, limit)}")
    line = _capital("; ".join(parts))
    return line if line.endswith(".") else f"{line}."


def _reason(item: AnswerItem) -> str:
    why = item.evidence[0].why
    return why if why.startswith("unconfirmed") and "," not in why else ""


def _listed(texts: list[str], limit: int) -> str:
    shown = texts[:limit] if len(texts) <= limit else [*texts[:limit], f"{len(texts) - limit:,} more"]
    return ", ".join(shown)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
