"""Where facts are when none fits: at other times, or with the name at the other end."""

from asof.facts.store import FactStore


def found_elsewhere(
    store: FactStore, *, subject: str | None, relation: str | None, object: str | None, time: str = ""
) -> str:
    """Say what there is instead of no fact: facts of other times, or an entity that was looked for at the wrong end.

    Args:
        subject: An id, as the other two.
        time: The option that asked for a time, as the user would write it.
    """
    if time and (others := store.count(subject=subject, relation=relation, object=object)):
        return f"{_counted(others)} of other times would match: omit {time} to see them."
    if subject and not object and (others := store.count(object=subject)):
        return f"{store.entity(subject).label} is the object of {_counted(others)}: ask with --object."
    if object and not subject and (others := store.count(subject=object)):
        return f"{store.entity(object).label} is the subject of {_counted(others)}: ask with --subject."
    return ""


def _counted(facts: int) -> str:
    return "1 fact" if facts == 1 else f"{facts:,} facts"
