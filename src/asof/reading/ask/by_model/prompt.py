"""What a language model is told: the keys of a query, the relations of the base near the question, a few examples."""

from __future__ import annotations

from asof.facts import FactStore, Relation
from asof.reading.ask.query_schema import relation_names
from asof.reading.ask.spoken import spoken

_MOST_RELATIONS = 30
_STEM = 5  # letters that managed, manager and manages have in common

_KEYS = """\
Turn a question into one JSON query to a table of facts (subject, relation, object, and the time in which it held).
Keys: "ask" (lookup, count, duration, when, yes-no), "relation" (one of the list), "subject" and "object" (names as the
question writes them; leave out the one that is asked for), "when" (the time as the question writes it),
"event" (start or end: what began or ended then), "which" ({"pick": "neighbour", "side": "before" or "after",
"of": name}, {"pick": "ordered", "order": 1 for the first, -1 for the last}, {"pick": "extreme", "most": "longest"}).
Leave out the keys that the question does not need."""

# Invented names: a query that has them was not read from the question.
_EXAMPLES = (
    ("Who was the {0} of Umbrellia in 1984?",
     '{{"ask": "lookup", "relation": "{0}", "subject": "Umbrellia", "when": "1984"}}'),
    ("When was Zorro Quibble the {0} of Umbrellia?",
     '{{"ask": "when", "relation": "{0}", "subject": "Umbrellia", "object": "Zorro Quibble"}}'),
    ("Who came after Zorro Quibble as {0} of Umbrellia?",
     '{{"ask": "lookup", "relation": "{0}", "subject": "Umbrellia", '
     '"which": {{"pick": "neighbour", "side": "after", "of": "Zorro Quibble"}}}}'),
)  # fmt: skip


def prompt_of(question: str, store: FactStore, *, mistake: str = "", before: str = "") -> str:
    """Return what a model goes on from.

    Args:
        mistake: What was wrong with what it wrote before.
    """
    names = near_relations(question, store)
    lines = [_KEYS, f"Relations: {', '.join(names)}.", ""]
    for asked, query in _EXAMPLES:
        lines += [f"Question: {asked.format(names[0])}", f"Query: {query.format(names[0])}", ""]
    lines.append(f"Question: {' '.join(question.split())}")
    if mistake:
        lines += [f"Query: {before}", f"That is wrong: {mistake}", "The query put right:"]
    return "\n".join([*lines, "Query:"] if not mistake else lines)


def near_relations(question: str, store: FactStore) -> list[str]:
    """Return the names of the relations, those first that have words in common with a question."""
    relations = list(store.relations.values())
    names = relation_names(relations)
    asked = {word[:_STEM] for word in spoken(question).split()}

    def near(position: int) -> tuple[int, int]:
        return -_shared(relations[position], asked), position

    return [names[position] for position in sorted(range(len(names)), key=near)][:_MOST_RELATIONS]


def _shared(relation: Relation, asked: set[str]) -> int:
    """Count the words that the best name of a relation has in common with a question."""
    return max(
        len({word[:_STEM] for word in spoken(name).split() if len(word) > 2} & asked)
        for name in (relation.label, *relation.aliases)
    )
