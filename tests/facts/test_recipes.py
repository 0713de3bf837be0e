"""The fact selections of the papers: each compared with the same rules in plain Python, over the whole almanac."""

import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import fields
from hashlib import sha256
from pathlib import Path

import pytest

from asof import registry
from asof.errors import UserError
from asof.facts import Fact, FactStore, FactTable
from asof.facts.definitions.tables import Tables, facts_in_order
from asof.facts.engines import open_engine
from asof.facts.manifest import read_manifest
from asof.facts.recipes import select
from asof.timeline import Date

Pair = tuple[str, str]


@pytest.fixture(scope="module")
def facts(almanac: FactStore) -> list[Fact]:
    return list(FactTable(almanac.sql("SELECT * FROM facts")))


def chosen(store: FactStore, name: str, **settings: object) -> list[Fact]:
    *_, last = registry.recipes.get(name)(**settings).rules(Tables())
    return list(FactTable(open_engine().table(facts_in_order(last.facts), store)))


def same(found: Iterable[Fact], expected: Iterable[Fact]) -> bool:
    return Counter(map(str, found)) == Counter(map(str, expected))


def dated(fact: Fact) -> bool:
    return isinstance(fact.start, Date) or isinstance(fact.end, Date)


def without_numbers(facts: Iterable[Fact]) -> list[Fact]:
    return [fact for fact in facts if not re.fullmatch(r"[-+]?[0-9][-+0-9.,:/TZ ]*( Q[0-9]+)?", fact.object)]


def that_evolve(facts: list[Fact], store: FactStore) -> list[Fact]:
    objects: dict[Pair, set[str]] = defaultdict(set)
    spans: dict[Pair, set[tuple[int, int]]] = defaultdict(set)
    for fact in facts:
        bounds = fact.interval.bounds(known_by=store.known_by)
        objects[fact.subject, fact.relation].add(fact.object)
        spans[fact.subject, fact.relation].add((bounds.earliest_start, bounds.latest_end))
    kept = {pair for pair, several in objects.items() if len(several) > 1 and len(spans[pair]) > 1}
    return [fact for fact in facts if (fact.subject, fact.relation) in kept]


@pytest.mark.parametrize(("name", "relations"), [("templama", 9), ("dynamic-templama", 16)])
def test_templama_takes_the_best_known_subjects_that_changed(
    almanac: FactStore, facts: list[Fact], name: str, relations: int
) -> None:
    entities = {row["id"]: row for row in almanac.sql("SELECT id, label, popularity FROM entities").to_pylist()}
    named = {id for id, row in entities.items() if row["label"] != id or not re.fullmatch(r"[QLP][0-9]+", id)}
    paged = {id for id in named if (entities[id]["popularity"] or 0) > 0}
    day = Date.parse("2010").first
    left = [fact for fact in without_numbers(facts) if dated(fact) and fact.relation != "P31"]
    left = [
        fact
        for fact in left
        if (isinstance(fact.start, Date) and fact.start.first >= day)
        or (isinstance(fact.end, Date) and fact.end.last >= day)
    ]
    left = that_evolve([fact for fact in left if {fact.subject, fact.object} <= paged], almanac)
    subjects: dict[str, set[str]] = defaultdict(set)
    for fact in left:
        subjects[fact.relation].add(fact.subject)
    first = sorted(subjects, key=lambda relation: (-len(subjects[relation]), relation))[:relations]
    known = {
        (subject, relation)
        for relation in first
        for subject in sorted(subjects[relation], key=lambda entity: (-entities[entity]["popularity"], entity))[:20]
    }
    expected = [fact for fact in left if (fact.subject, fact.relation) in known]
    assert len(expected) > 100
    assert same(chosen(almanac, name, subjects=20), expected)


def test_lama_tk_takes_the_relations_with_most_facts_that_have_both_ends(almanac: FactStore, facts: list[Fact]) -> None:
    both = [f for f in without_numbers(facts) if isinstance(f.start, Date) and isinstance(f.end, Date)]
    left = that_evolve([fact for fact in both if not fact.interval.inverted], almanac)
    sizes = Counter(fact.relation for fact in left)
    first = sorted(sizes, key=lambda relation: (-sizes[relation], relation))[:7]
    assert same(chosen(almanac, "lama-tk"), [fact for fact in left if fact.relation in first])


def test_timeqa_draws_whole_histories_of_all_relations_in_turn(almanac: FactStore, facts: list[Fact]) -> None:
    left = that_evolve([fact for fact in without_numbers(facts) if dated(fact)], almanac)
    for seed in (42, 7):
        lots: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for subject, relation in {(fact.subject, fact.relation) for fact in left}:
            lots[relation].append((sha256(f"{seed} {subject} {relation}".encode()).hexdigest(), subject))
        dealt = [
            (turn, lot, subject, relation)
            for relation, drawn in lots.items()
            for turn, (lot, subject) in enumerate(sorted(drawn))
            if turn < 30
        ]
        kept = {(subject, relation) for _, _, subject, relation in sorted(dealt)[:400]}
        expected = [fact for fact in left if (fact.subject, fact.relation) in kept]
        found = chosen(almanac, "timeqa", per_relation=30, histories=400, seed=seed)
        assert same(found, expected)
        assert len({fact.relation for fact in found}) == len(lots)


def test_timestress_takes_popular_facts_of_one_period(almanac: FactStore, facts: list[Fact]) -> None:
    popularity = dict(zip(*almanac.sql("SELECT id, popularity FROM entities").to_pydict().values(), strict=True))
    spells: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for fact in facts:
        ends = [(e.first, e.last) if isinstance(e, Date) else None for e in (fact.start, fact.end)]
        spells[fact.subject, fact.relation, fact.object].add(str(ends))
    left = {}
    for fact in facts:
        triple = (fact.subject, fact.relation, fact.object)
        start, end = fact.start, fact.end
        if len(spells[triple]) == 1 and isinstance(start, Date) and isinstance(end, Date):
            long = (end.first + end.last - start.first - start.last) / 2 > 3 * 365.25
            if long and end.last <= Date.parse("2020").last and fact.relation != "P47":
                left[triple] = (popularity[fact.subject] or 0) * (popularity[fact.object] or 0)
    expected = sorted(left, key=lambda triple: (-left[triple], triple))
    for count in (150, 10**6):
        found = chosen(almanac, "timestress", facts=count)
        assert sorted((f.subject, f.relation, f.object) for f in found) == sorted(expected[:count])


def test_the_benchmark_timestress_takes_facts_of_the_recipe(almanac: FactStore) -> None:
    from asof.benchmarks.timestress.choice import TimeStressRules, choose
    from asof.wording import Wording

    rules = TimeStressRules(
        facts=500, longer_than=3.0, last_year=2020, whole_ends=False, seed=1, questions=None, own_wording=False
    )
    asked = {str(choice.fact) for choice in choose(rules, almanac, Wording()).facts}
    assert len(asked) == 500
    assert asked <= {str(fact) for fact in chosen(almanac, "timestress", facts=10**6)}


@pytest.mark.parametrize("name", registry.recipes.names())
def test_every_recipe_keeps_the_contract(almanac: FactStore, facts: list[Fact], tmp_path: Path, name: str) -> None:
    kind = registry.recipes.get(name)
    assert kind.name == name and kind.paper
    assert registry.recipes.summary(name).endswith(".")
    recipe = kind()
    made = [select(recipe, almanac, open_engine(), tmp_path / which / "base") for which in ("one", "other")]
    assert made[0] == made[1]  # the same to the byte
    assert list(made[0].left.values()) == sorted(made[0].left.values(), reverse=True)
    manifest = read_manifest(tmp_path / "one" / "base")
    assert manifest.selection is not None
    assert manifest.selection["recipe"] == name
    assert set(manifest.selection["settings"]) == {field.name for field in fields(recipe)}
    assert manifest.selection["base"] == {"name": "almanac", "hash": almanac.manifest.hash}
    assert manifest.known_by == almanac.manifest.known_by
    new = FactStore(tmp_path / "one" / "base")
    taken = Counter(FactTable(new.sql("SELECT * FROM facts")))
    assert taken and not taken - Counter(facts)
    mentioned = new.sql("SELECT DISTINCT subject AS id FROM facts UNION SELECT object FROM facts")["id"].to_pylist()
    assert new.sql("SELECT id FROM entities")["id"].to_pylist() == sorted(mentioned)
    for id in mentioned[:20]:
        assert new.entity(id) == almanac.entity(id)


def test_numbers_are_no_objects(base_of: Callable[..., FactStore]) -> None:
    store = base_of(
        [
            ("Denver", "P1082", "13876", "2010", "2010"),
            ("Denver", "P1082", "14000.5 Q11573", "2011", "2011"),
            ("Denver", "P1082", "-3", "2012", "2012"),
            ("Denver", "P6", "3M", "2010", "2011"),
            ("Denver", "P6", "Q42", "2011", "2012"),
            ("Denver", "P6", "7th Duke", "2012", "2013"),
        ]
    )
    assert {fact.object for fact in chosen(store, "timeqa")} == {"3M", "Q42", "7th Duke"}


def test_nothing_selected_says_which_rule_left_nothing(base_of: Callable[..., FactStore], tmp_path: Path) -> None:
    store = base_of([("Italy", "P6", "Draghi", "2021", "2022")])
    recipe = registry.recipes.get("timeqa")()
    with pytest.raises(UserError, match=r"(?s)no facts that timeqa selects.*1 have a date.*0 are of subjects"):
        select(recipe, store, open_engine(), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_base_is_not_overwritten_by_its_selection(almanac: FactStore) -> None:
    with pytest.raises(UserError, match="is the base to select from"):
        select(registry.recipes.get("lama-tk")(), almanac, open_engine(), almanac.folder)


def asof(*args: str, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command; where it ends otherwise than expected, say how: killed from outside (-9), it says nothing."""
    ran = subprocess.run([sys.executable, "-m", "asof", *args], capture_output=True, text=True, cwd=cwd)
    assert ran.returncode == code, f"asof {' '.join(args)} ended with {ran.returncode}:\n{ran.stdout}\n{ran.stderr}"
    return ran


def test_the_verb(tmp_path: Path) -> None:
    ran = asof("select", "timestress", "--set", "facts=50", "--json", cwd=tmp_path)
    told = json.loads(ran.stdout)
    assert (told["base"], told["facts"], told["rules"]["are the 50 most popular"]) == ("timestress", 50, 50)
    assert read_manifest(tmp_path / "timestress").rows("facts") == 50
    dry = asof("select", "timeqa", "--seed", "3", "--dry-run", cwd=tmp_path)
    assert "facts in the base, of which" in dry.stderr
    assert not (tmp_path / "timeqa").exists()
    wrong = asof("select", "timequa", cwd=tmp_path, code=1)
    assert "No recipe is called 'timequa'. Did you mean 'timeqa'?" in wrong.stderr
    wrong = asof("select", "lama-tk", "--seed", "3", cwd=tmp_path, code=1)
    assert "lama-tk has no setting 'seed'" in wrong.stderr


def test_ids_that_are_names_count_as_names(base_of: Callable[..., FactStore]) -> None:
    coaches = [("FC Alpha", "P286", "Ann Lee", "2015", "2019"), ("FC Alpha", "P286", "Bo Ek", "2019", "2021")]
    nameless = [("Q101", "P286", "Q102", "2015", "2019"), ("Q101", "P286", "Q103", "2019", "2021")]
    found = chosen(base_of(coaches + nameless), "dynamic-templama")
    assert {fact.subject for fact in found} == {"FC Alpha"}  # of Q101 nobody has said a name
