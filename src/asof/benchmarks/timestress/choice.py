"""Which facts are in TimeStress, with which question; and which are not, and why.

Ammar Khodja et al. 2025 (arXiv:2502.01220), section 4.1.1 and appendix A.1. Either the rules choose from a base, the
most popular facts first, or a file of questions does. Kept beside its only caller, ``timestress.py``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import NamedTuple

import pyarrow as pa

from asof.benchmarks._account import Omission, example_of
from asof.benchmarks._relations import RelationRule, RelationsToAsk, relations_to_ask
from asof.errors import UserError
from asof.facts import Fact, FactStore, FactTable
from asof.facts.definitions.lasting import (
    COPY,
    DAYS_PER_YEAR,
    LATE,
    OPEN,
    SAME_NAME,
    SEVERAL,
    SHORT,
    TRIPLE,
    LastingRules,
    judged,
)
from asof.facts.definitions.sql import sql_of
from asof.facts.definitions.tables import Tables
from asof.facts.schema import SORT_KEYS
from asof.wording import Wording
from asof.wording.question_writer import lower_question_word


@dataclass(frozen=True, kw_only=True)
class TimeStressRules:
    """The settings of ``TimeStress`` on which the choice depends; ``whole_ends`` is its protocol "program"."""

    facts: int
    longer_than: float
    last_year: int
    whole_ends: bool
    seed: int
    questions: str | None
    own_wording: bool


@dataclass(frozen=True)
class SelectedFact:
    """A fact and the question that asks for its object.

    Args:
        answer: The words whose probability counts.
        aliases: What else is right when a model writes it.
    """

    fact: Fact
    popularity: float
    question: str
    answer: str
    aliases: tuple[str, ...] = ()


class ObjectQuestion(NamedTuple):
    """A question, and the words of its answer where they are not the name of the object."""

    text: str
    answer: str = ""


@dataclass(frozen=True)
class FactSelection:
    """The facts of a benchmark, how many were left out by which rule, and what else to say."""

    facts: list[SelectedFact]
    left_out: dict[str, Omission]
    notes: list[str] = field(default_factory=list)


def choose(rules: TimeStressRules, store: FactStore, say: Wording) -> FactSelection:
    """Choose facts by the rules, or those of a file of questions in its order."""
    asked = {} if rules.questions is None else read_questions(Path(rules.questions))
    if rules.questions is not None and not rules.own_wording:
        if not asked:
            raise UserError(f"{rules.questions} has no questions.")
        return _in_the_file(rules, store, asked)
    relations = relations_to_ask(store, say, None, asking=True, moments=_MOMENTS)
    rows, left_out = _by_the_rules(rules, store, relations, asked)
    chosen = [
        _chosen(
            row,
            asked[row.key] if row.key else [ObjectQuestion(say.question(row.fact, seed=rules.seed))],
            rules.seed,
        )
        for row in rows
    ]
    return FactSelection(_with_aliases(chosen, store), left_out)


def likely_facts(rules: TimeStressRules, store: FactStore, say: Wording) -> list[Fact]:
    """Return the facts that the rules choose when every fact has a question."""
    lasting = frozenset(relation for relation in store.relations if not _is_instant(relation, say))
    relations = RelationsToAsk(tuple(lasting), (RelationRule("of a moment", "", lasting),))
    return [row.fact for row in _by_the_rules(rules, store, relations, {})[0]]


def _in_the_file(rules: TimeStressRules, store: FactStore, asked: dict[str, list[ObjectQuestion]]) -> FactSelection:
    query = f"{_JUDGED} WHERE key_index IS NOT NULL ORDER BY key_index, copy"
    rows = list(_rows(store, query, rules, RelationsToAsk((), ()), asked))
    good = [row for row in rows if not row.reason]
    left_out = {}
    for code in _REASONS:
        if bad := [row.fact.in_names for row in rows if row.reason == code]:
            left_out[_reason(code, rules)] = Omission(len(bad), bad[0], _REASONS[code][1])
    if len(good) > rules.facts:
        left_out[_beyond(rules)] = Omission(len(good) - rules.facts, good[rules.facts].fact.in_names, _MORE)
    found = {row.key for row in rows}
    unknown = [key for key in asked if key not in found]
    notes = []
    if unknown:
        said = f"{len(unknown):,} of the {len(asked):,} facts in {rules.questions}"
        notes = [f"Not in the base {store.manifest.name}: {said}. The first: {unknown[0]}. Is it the right --base?"]
    return FactSelection(
        _with_aliases([_chosen(row, asked[row.key or ""], rules.seed) for row in good[: rules.facts]], store),
        left_out,
        notes,
    )


def _by_the_rules(
    rules: TimeStressRules, store: FactStore, relations: RelationsToAsk, asked: dict[str, list[ObjectQuestion]]
) -> tuple[list[CandidateFact], dict[str, Omission]]:
    """Return the most popular facts that stand all rules, and tell of the others."""
    most_popular = f"{_JUDGED} WHERE reason IS NULL ORDER BY popularity DESC, subject, relation, object"
    rows = list(_rows(store, f"{most_popular} LIMIT {rules.facts}", rules, relations, asked))
    counts = _ask(store, _FIRST_OF_EACH_REASON.replace("{taken}", str(rules.facts)), rules, relations, asked)
    found = {
        row["reason"]: Omission(row["lost"], example_of(counts.slice(index), store), "")
        for index, row in enumerate(counts.select(["reason", "lost"]).to_pylist())
    }
    told = {_reason(code, rules): (code, advice) for code, (_, advice) in _REASONS.items()}
    told |= {rule.drops: (rule.drops, rule.advice) for rule in relations.rules} | {_beyond(rules): ("beyond", _MORE)}
    left_out = {words: replace(found[code], advice=advice) for words, (code, advice) in told.items() if code in found}
    return rows, left_out


@dataclass(frozen=True)
class CandidateFact:
    """A fact, the key of the file of questions that means it, and the rule that it breaks."""

    fact: Fact
    popularity: float
    key: str | None
    reason: str | None


def _rows(
    store: FactStore,
    query: str,
    rules: TimeStressRules,
    relations: RelationsToAsk,
    asked: dict[str, list[ObjectQuestion]],
) -> Iterator[CandidateFact]:
    table = _ask(store, query, rules, relations, asked)
    labelled = store.with_labels(table, subject="entity", relation="relation", object="entity")
    keys = [*asked]
    more = zip(*(table[name].to_pylist() for name in ("popularity", "key_index", "reason")), strict=True)
    for fact, (popularity, key_index, reason) in zip(FactTable(labelled), more, strict=True):
        key = None if key_index is None else keys[key_index]
        if key not in (fact.statement, str(fact), f"{fact.subject} {fact.relation} {fact.object}"):
            key = None  # the same three ids with another interval
        if key or fact.relation in relations.ids:
            yield CandidateFact(fact, popularity, key, reason)


def _ask(
    store: FactStore,
    query: str,
    rules: TimeStressRules,
    relations: RelationsToAsk,
    asked: dict[str, list[ObjectQuestion]],
) -> pa.Table:
    named = pa.table({"key": pa.array([*asked], pa.string()), "key_index": pa.array(range(len(asked)), pa.int64())})
    unsaid = {
        id: rule.drops for rule in reversed(relations.rules) for id in store.relations if id not in rule.keeps
    }  # by the first rule that leaves the relation out
    silent = pa.table({"relation": pa.array(unsaid, pa.string()), "why": pa.array(unsaid.values(), pa.string())})
    judgement = judged(Tables().facts, _lasting(rules))
    return store.sql(query.replace("{judged}", sql_of(judgement, "duckdb")), tables={"asked": named, "silent": silent})


def _lasting(rules: TimeStressRules) -> LastingRules:
    days = rules.longer_than * DAYS_PER_YEAR
    if rules.whole_ends and rules.longer_than:  # the program counts months of 30 days and wants more than 37 of them
        days = 30 * (12 * rules.longer_than + 2) - 1
    return LastingRules(longer_than=days, last_year=rules.last_year, whole_ends=rules.whole_ends)


# A fact may be meant by its statement id, by its three ids, or by these and its interval, as ``asof facts`` shows it.
_JUDGED = """
    SELECT * FROM (
        WITH judged AS (
            SELECT *, concat_ws(' ', subject, relation, object) AS triple FROM ({judged})
        ), with_interval AS (
            SELECT regexp_replace(key, ' [^ ]*[.][.][^ ]*$', '') AS triple, min(key_index) AS key_index FROM asked
            WHERE regexp_matches(key, ' [^ ]*[.][.][^ ]*$') GROUP BY ALL
        )
        SELECT f.* EXCLUDE (triple, reason), coalesce(a.key_index, b.key_index, c.key_index) AS key_index,
            coalesce(f.reason, CASE WHEN coalesce(a.key_index, b.key_index, c.key_index) IS NULL THEN silent.why END)
                AS reason
        FROM judged f
            LEFT JOIN asked a ON a.key = f.statement LEFT JOIN asked b ON b.key = f.triple
            LEFT JOIN with_interval c ON c.triple = f.triple LEFT JOIN silent ON silent.relation = f.relation
    )
"""
_FIRST_OF_EACH_REASON = f"""
    WITH numbered AS (
        SELECT *, row_number() OVER (PARTITION BY reason ORDER BY popularity DESC, {SORT_KEYS["facts"]}) AS number
        FROM ({_JUDGED})
    ), judged AS (
        SELECT * REPLACE (coalesce(reason, 'beyond') AS reason) FROM numbered
        WHERE reason IS NOT NULL OR number > {{taken}}
    )
    SELECT *, count(*) OVER (PARTITION BY reason) AS lost FROM judged
    QUALIFY row_number() OVER (PARTITION BY reason ORDER BY number) = 1
"""

# Words and advice by code, in the order in which they are told.
_REASONS = {
    OPEN: ("without a start or an end", "Give them both in the source of the base, and mine it again."),
    SEVERAL: (
        "with several intervals, so that a date outside one may be right",
        "TimeStress leaves them out, as the paper does.",
    ),
    COPY: ("that are there once more, with the same dates", "Nothing is lost: each fact counts once."),
    LATE: ("that end after {last_year}", "To include them: --set last_year=YEAR"),
    SHORT: ("not longer than {longer_than:g} years", "To include shorter ones: --set longer_than=YEARS"),
    SAME_NAME: ("whose subject and object have the same name", "The question would name its answer."),
}
_MOMENTS = "TimeStress asks about what lasts; ask about {relations} with timeqa or lama-tk."
_MORE = "To include more: --limit N"


def _reason(code: str, rules: TimeStressRules) -> str:
    if code == SHORT and not rules.longer_than:
        return "that start and end at the same moment"
    return _REASONS[code][0].format(last_year=rules.last_year, longer_than=rules.longer_than)


def _beyond(rules: TimeStressRules) -> str:
    return f"after the first {rules.facts:,}"


def _chosen(row: CandidateFact, questions: list[ObjectQuestion], seed: int) -> SelectedFact:
    """Give each fact one of its questions, at random but for ever (appendix A.3)."""
    index = Random(f"{seed} {row.fact.id}").randrange(len(questions))
    question, answer = questions[index]
    return SelectedFact(row.fact, row.popularity, question, answer or row.fact.object_label or row.fact.object)


def _with_aliases(chosen: Sequence[SelectedFact], store: FactStore) -> list[SelectedFact]:
    """Add the other names of objects; the words of the answer stay the first."""
    wanted = pa.table({"id": pa.array(sorted({one.fact.object for one in chosen}), pa.string())})
    rows = store.sql("SELECT id, label, aliases FROM entities JOIN wanted USING (id)", tables={"wanted": wanted})
    names = {row["id"]: (row["label"], *row["aliases"]) for row in rows.to_pylist()}
    return [
        replace(one, aliases=tuple(name for name in names.get(one.fact.object, ()) if name and name != one.answer))
        for one in chosen
    ]


def _is_instant(relation: str, say: Wording) -> bool:
    return say.can_say(relation) and say.template(relation).instant


def read_questions(path: Path) -> dict[str, list[ObjectQuestion]]:
    """Read a file of questions and answers; the key is what the column fact says, or the ids with spaces between."""
    if not path.is_file():
        raise UserError(f"{path} does not exist: give a CSV or TSV file with the columns fact and question.")
    found: dict[str, list[ObjectQuestion]] = {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        if path.suffix.lower() == ".csv":
            reader = csv.DictReader(file)
        else:
            reader = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        columns = reader.fieldnames or ()
        if "question" not in columns or not ("fact" in columns or set(TRIPLE) <= set(columns)):
            raise UserError(
                f"{path} needs the column question, and either fact or subject, relation and object; "
                f"it has {', '.join(columns)}."
            )
        for row in reader:
            text = (row["question"] or "").strip()
            if text:
                parts = ["fact"] if "fact" in columns else TRIPLE
                key = " ".join((row[part] or "").strip() for part in parts)
                question = _checked(text, path, reader.line_num)
                found.setdefault(key, []).append(ObjectQuestion(question, " ".join((row.get("answer") or "").split())))
    return found


def _checked(text: str, path: Path, line: int) -> str:
    if not text.endswith("?"):
        raise UserError(f"{path}, line {line}: {text!r} is not a question: it does not end with '?'.")
    return lower_question_word(text)
