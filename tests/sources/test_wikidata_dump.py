"""A Wikidata dump: generated ones come back exactly, with all their oddities, in every compression, however cut."""

import bz2
import gzip
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bench.generated_dump import ENDINGS, MEMBER_HEADER, Plan, write_dump
from bench.generated_lines import KEPT_QUALIFIER, Filler, item_line
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from asof.errors import UserError
from asof.facts import FactStore
from asof.sources import open_source
from asof.sources.wikidata_dump import WikidataDump
from asof.sources.wikidata_dump.dated_lists import dated_lists, next_date
from asof.sources.wikidata_dump.lines import Lines, lines_of
from asof.sources.wikidata_dump.stretch import ByteRange
from asof.sources.wikidata_dump.work import WorkSizes
from tests.sources.dumps import entities_in, facts_in, facts_of, mined, rejects_of
from tests.sources.odd_json import Oddities, odd_json

UNSHRUNK = [Phase.explicit, Phase.reuse, Phase.generate]  # a failing dump is small enough, and shrinking takes minutes


@settings(max_examples=8, phases=UNSHRUNK)
@given(
    seed=st.integers(0, 10_000),
    ending=st.sampled_from(ENDINGS),
    one_stream=st.booleans(),
    escaped=st.booleans(),
    broken=st.integers(0, 5),
    stretch=st.integers(20_000, 200_000),
)
def test_generated_dumps_come_back_exactly(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    ending: str,
    one_stream: bool,
    escaped: bool,
    broken: int,
    stretch: int,
) -> None:
    path = tmp_path_factory.mktemp("dump") / f"d{ending}"
    plan = Plan(
        entities=200, seed=seed, line_bytes=2_500, temporal=0.5, batch=40, broken=broken,
        one_stream=one_stream, escaped=escaped,
    )  # fmt: skip
    truth = write_dump(path, plan)
    store, source, intake = mined(path, qualifiers=[KEPT_QUALIFIER], sizes=WorkSizes(stretch=stretch, part=200_000))
    assert facts_in(store) == facts_of(truth)
    assert entities_in(store) == truth.mentioned()
    used = {fact["relation"] for fact in truth.facts}
    found = {id: {"label": thing.label, "aliases": list(thing.aliases)} for id, thing in store.relations.items()}
    assert found == {id: truth.relations[id] for id in used}
    inverted = truth.counts["rejected"] - source.counts["rejected"]
    assert intake.rejects.count == truth.counts["rejected"] + broken
    assert sum("before it starts" in reject["reason"] for reject in rejects_of(store)) == inverted
    expected = {name: count for name, count in truth.counts.items() if name not in ("lines", "rejected")}
    assert {name: source.counts[name] for name in expected} == expected
    assert store.manifest.known_by == truth.newest[:10]


def test_the_official_gzip_is_cut_at_its_members_and_lines_keep_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "d.json.gz"
    truth = write_dump(path, Plan(entities=400, seed=5, line_bytes=2_000, batch=25, broken=4))
    data = path.read_bytes()
    assert data.count(MEMBER_HEADER) == 2 * 400 // 25 + 1
    lines = gzip.decompress(data).split(b"\n")
    store, _, _ = mined(path)
    broken = [reject for reject in rejects_of(store) if "broken or cut" in reject["reason"]]
    assert len(broken) == truth.counts["broken"] == 4
    for reject in broken:
        assert lines[reject["line"] - 1].decode().startswith(reject["row"][:100])


@settings(max_examples=30, phases=UNSHRUNK)
@given(
    ending=st.sampled_from(ENDINGS),
    one_stream=st.booleans(),
    step=st.integers(50, 30_000),
    resume=st.integers(0, 30),
    data=st.data(),
)
def test_cut_anywhere_each_line_is_read_once(
    tmp_path_factory: pytest.TempPathFactory, ending: str, one_stream: bool, step: int, resume: int, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp() / "cut"
    folder.mkdir(exist_ok=True)
    path, plain = folder / f"{one_stream}{ending}", folder / "plain.json"
    if not path.exists():
        for place in (path, plain):
            write_dump(place, Plan(entities=120, seed=2, line_bytes=1_500, batch=7, one_stream=one_stream))
    size = path.stat().st_size
    read = []
    for first in range(0, size, step):
        stretch = ByteRange(str(path), first, min(size, first + step))
        pieces = [piece for piece in lines_of(stretch) if isinstance(piece, Lines)]
        if pieces and data.draw(st.booleans()):  # stopped behind some piece, and begun again there
            kept = pieces[: resume % len(pieces) + 1]
            later = [piece for piece in lines_of(stretch, resume=kept[-1].end) if isinstance(piece, Lines)]
            assert b"".join(piece.raw for piece in later) == b"".join(piece.raw for piece in pieces[len(kept) :])
        read += pieces
    assert b"".join(piece.raw for piece in read) == plain.read_bytes()


def test_several_processes_give_the_same_base(tmp_path: Path) -> None:
    path = tmp_path / "d.json.gz"
    write_dump(path, Plan(entities=400, seed=9, line_bytes=2_000, batch=20))
    one, _, _ = mined(path)
    first = one.manifest.hash
    two, _, _ = mined(path, processes=2, sizes=WorkSizes(stretch=20_000, part=150_000))
    assert two.manifest.hash == first


@settings(max_examples=15, phases=UNSHRUNK)
@given(seed=st.integers(0, 10_000), revised=st.booleans(), stretch=st.sampled_from([8_000, 40_000, 10_000_000]))
def test_an_item_that_stands_in_a_dump_twice_counts_once(
    tmp_path_factory: pytest.TempPathFactory, seed: int, revised: bool, stretch: int
) -> None:
    """Repeated lines, some of an older revision with other statements, in the same part and in others."""
    random, folder = Random(seed), tmp_path_factory.mktemp("twice")
    path = folder / "d.json"
    truth = write_dump(path, Plan(entities=60, seed=seed, line_bytes=1_500, temporal=0.6))
    lines = [json.loads(line.removesuffix(",")) for line in path.read_text(encoding="utf-8").splitlines()[1:-1]]
    written = [line | ({"lastrevid": 500} if revised and line.get("type") == "item" else {}) for line in lines]
    items = [number for number, line in enumerate(lines) if line.get("type") == "item"]
    repeated = random.sample(items, 8)
    for number in repeated:
        for _ in range(random.choice((1, 1, 3))):
            old = {"claims": lines[random.choice(items)]["claims"], "labels": {}}
            if revised:  # an older revision, wherever it stands
                written.insert(random.randrange(len(written)), lines[number] | old | {"lastrevid": 400})
            else:  # the last one counts, and nothing says what it replaces
                written.insert(0, lines[number] | old)
    text = ",\n".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) for line in written)
    path.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    store, source, _ = mined(path, sizes=WorkSizes(stretch=stretch, part=stretch * 2))
    assert facts_in(store) == facts_of(truth, qualifiers=False)
    assert entities_in(store) == truth.mentioned()
    assert source.counts["repeated items"] == len(written) - len(lines)
    assert source.counts["items"] == truth.counts["items"]
    assert any(f"{len(written) - len(lines)} repeated items" in note for note in source.notes())


def test_json_in_another_order_is_decoded_line_by_line(tmp_path: Path) -> None:
    usual, other = tmp_path / "usual.json", tmp_path / "other.json"
    truth = write_dump(usual, Plan(entities=200, seed=4, line_bytes=1_500, temporal=0.5))
    lines = [json.loads(line.removesuffix(",")) for line in usual.read_text(encoding="utf-8").splitlines()[1:-1]]
    turned = [json.dumps(line, sort_keys=True, ensure_ascii=False) for line in lines]
    other.write_text("[\n" + ",\n".join(turned) + "\n]\n", encoding="utf-8")
    store, _, _ = mined(other)
    assert facts_in(store) == facts_of(truth, qualifiers=False)
    assert entities_in(store) == truth.mentioned()


@settings(max_examples=40, phases=UNSHRUNK)
@given(
    seed=st.integers(0, 10_000),
    orders=st.sampled_from([0.0, 0.02, 0.3, 1.0]),
    spaces=st.sampled_from([0.0, 0.001, 0.02, 0.5]),
    escapes=st.sampled_from([0.0, 0.0005, 0.01, 0.3]),
    odd_lines=st.sampled_from([0.1, 0.5, 1.0]),
    newline=st.sampled_from(["\n", "\r\n", " \r\n\r\n", "\n\n\t\n"]),
    mark=st.booleans(),
    brackets=st.sampled_from(["usual", "with entities", "none"]),
    languages=st.sampled_from([("en",), ("de", "en"), ("zh-hant",)]),
)
def test_no_way_of_writing_json_loses_anything(
    tmp_path_factory: pytest.TempPathFactory, seed: int, orders: float, spaces: float, escapes: float,
    odd_lines: float, newline: str, mark: bool, brackets: str, languages: tuple[str, ...],
) -> None:  # fmt: skip
    """Lines written in other ways, among usual ones, mean what a full parse of them means."""
    random, folder = Random(seed), tmp_path_factory.mktemp("odd")
    usual, other = folder / "usual.json", folder / "other.json"
    truth = write_dump(usual, Plan(entities=50, seed=seed, line_bytes=1_500, temporal=0.6))
    raw = [line.removesuffix(",") for line in usual.read_text(encoding="utf-8").splitlines()[1:-1]]
    odd = Oddities(orders=orders, spaces=spaces, escapes=escapes, ascii=random.random() < 0.5)
    turned = [odd_json(json.loads(line), random, odd) if random.random() < odd_lines else line for line in raw]
    first, last = {"usual": ("[" + newline, newline + "]"), "with entities": ("[", "]"), "none": ("", "")}[brackets]
    between = newline if brackets == "none" else f",{newline}"
    text = first + between.join(turned) + last + newline
    other.write_bytes(b"\xef\xbb\xbf" * mark + text.encode())
    found, source, _ = mined(other, languages=languages, qualifiers=[KEPT_QUALIFIER])
    assert facts_in(found) == facts_of(truth)
    assert WikidataDump.recognises(str(other))
    assert source.counts["broken"] == 0
    expected, _, _ = mined(usual, languages=languages, qualifiers=[KEPT_QUALIFIER])
    assert entities_in(found) == entities_in(expected)
    assert found.manifest.known_by == expected.manifest.known_by
    if languages == ("en",):
        assert entities_in(found) == truth.mentioned()
    counted = {name: count for name, count in truth.counts.items() if name not in ("lines", "rejected")}
    assert {name: source.counts[name] for name in counted} == counted


@settings(max_examples=15, phases=UNSHRUNK)
@given(seed=st.integers(0, 10_000), escaped=st.booleans())
def test_statements_cut_out_of_a_line_are_those_of_the_whole_line(seed: int, escaped: bool) -> None:
    random = Random(seed)
    filler = Filler.drawn(random, 3_000, escaped=escaped)
    lines = [item_line(number, random, filler, dated=True, last=99)[0] for number in range(1, 20)]
    block = b",\n".join(lines)
    begin = cut = 0
    for line in lines:
        stop = begin + len(line)
        date = next_date(block, begin, stop)
        found = dated_lists(block, begin, stop, date) if date >= 0 else {}
        assert found is not None
        there = {relation: json.dumps(list) for relation, list in (json.loads(line)["claims"] or {}).items()}
        qualified = {relation for relation, text in there.items() if re.search(r'"P58[025]": \[\{"s', text)}
        assert {relation: json.dumps(json.loads(raw)) for relation, raw in found.items()} == {
            relation: there[relation] for relation in qualified
        }
        cut += len(found)
        begin = stop + 2
    assert cut > 0


def test_a_line_in_which_lists_cannot_be_told_apart_is_decoded_as_a_whole() -> None:
    dated = b'"P39":[{"mainsnak":1,"qualifiers":{"P580":[{"s":3}]}}]'
    for line in (
        b'{"claims":{"P39":[{"rank":"normal","qualifiers":{"P580":[{"s":3}]}}]},"sitelinks":{}}',  # no mainsnak
        b'{"claims":{!' + dated + b'},"sitelinks":{}}',
        b'{"claims":{' + dated + b'},"pageid":1}',  # nothing tells where the claims end
    ):
        assert dated_lists(line, 0, len(line), next_date(line, 0, len(line))) is None


def time_snak(property: str, time: str, precision: int) -> dict[str, Any]:
    model = "http://www.wikidata.org/entity/Q1985727"
    value = {"time": time, "timezone": 0, "before": 0, "after": 0, "precision": precision, "calendarmodel": model}
    return {"snaktype": "value", "property": property, "hash": "h", "datavalue": {"value": value, "type": "time"}}


def statement(property: str, value: Any, type: str, datatype: str, **more: Any) -> dict[str, Any]:
    snak = {
        "snaktype": "value",
        "property": property,
        "datavalue": {"value": value, "type": type},
        "datatype": datatype,
    }
    return {"mainsnak": snak, "type": "statement", "rank": "normal"} | more


def hand_written(folder: Path, *entities: dict[str, Any]) -> Path:
    path = folder / "hand.json"
    lines = [json.dumps(entity, separators=(",", ":")).replace("/", "\\/") for entity in entities]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    return path


def named(id: str, **names: str) -> dict[str, Any]:
    labels = {language: {"language": language, "value": name} for language, name in names.items()}
    return {"type": "item", "id": id, "labels": labels or [], "descriptions": [], "aliases": []}


OBAMA = named("Q76", en="Barack Obama", fr="Barack Obama (fr)") | {
    "claims": {
        "P39": [
            statement(
                "P39", {"entity-type": "item", "numeric-id": 11696, "id": "Q11696"}, "wikibase-entityid",
                "wikibase-item", id="Q76$1", rank="preferred",
                qualifiers={
                    "P580": [time_snak("P580", "+2009-01-20T00:00:00Z", 11)],
                    "P582": [time_snak("P582", "+2017-01-20T00:00:00Z", 11)],
                    "P1365": [{"snaktype": "value", "property": "P1365", "hash": "x",
                               "datavalue": {"value": {"entity-type": "item", "numeric-id": 207},
                                             "type": "wikibase-entityid"}, "datatype": "wikibase-item"}],
                },
            ),
            statement(
                "P39", {"entity-type": "item", "numeric-id": 4416090}, "wikibase-entityid", "wikibase-item",
                id="Q76$2", qualifiers={"P580": [time_snak("P580", "+2005-01-03T00:00:00Z", 11)]},
            ),
        ],
        "P2048": [
            statement("P2048", {"amount": "+1.87", "unit": "http://www.wikidata.org/entity/Q11573"}, "quantity",
                      "quantity", id="Q76$3", qualifiers={"P585": [time_snak("P585", "+2008-00-00T00:00:00Z", 9)]}),
        ],
    },
    "sitelinks": {"enwiki": {"site": "enwiki", "title": "Barack Obama", "badges": []},
                  "frwiki": {"site": "frwiki", "title": "Barack Obama", "badges": []}},
}  # fmt: skip
OFFICE = named("Q11696", en="President of the United States", fr="président des États-Unis") | {
    "aliases": {"en": [{"language": "en", "value": "POTUS"}]}, "claims": [], "sitelinks": [],
}  # fmt: skip


def told(store: FactStore) -> set[str]:
    return {str(fact) for fact in store.facts()}


def test_a_dump_written_by_hand(tmp_path: Path) -> None:
    store, source, _ = mined(hand_written(tmp_path, OBAMA, OFFICE))
    assert told(store) == {"Q76 P39 Q11696 2009-01-20..2017-01-20", "Q76 P39 Q4416090 2005-01-03..not stated"}
    assert {row["object"]: row["best"] for row in store.facts().table.to_pylist()} == {
        "Q11696": True,
        "Q4416090": False,
    }
    assert source.counts["quantities"] == 1
    assert store.entity("Q11696").names == ("President of the United States", "POTUS")
    assert store.entity("Q76").popularity == 2.0
    assert store.manifest.known_by is None


def test_quantities_qualifiers_and_languages_on_demand(tmp_path: Path) -> None:
    path = hand_written(tmp_path, OBAMA, OFFICE)
    store, _, _ = mined(path, numbers=True, qualifiers=["P1365"], languages=["fr", "en"])
    assert "Q76 P2048 1.87 Q11573 2008..2008" in told(store)
    kept = {row["object"]: row["qualifiers"] for row in store.facts().table.to_pylist()}
    assert kept == {"Q11696": '{"P1365":["Q207"]}', "Q4416090": None, "1.87 Q11573": None}
    assert store.entity("Q11696").names == ("président des États-Unis", "President of the United States", "POTUS")


@pytest.mark.parametrize("in_order", [True, False])
def test_names_are_kept_by_language(tmp_path: Path, in_order: bool) -> None:
    """Cut out of a line in the usual order, and decoded from one that is not; a name for all languages helps out."""
    everywhere = named("Q4416090", mul="Senator", fr="sénateur", de="Senatorin") | {"claims": [], "sitelinks": []}
    entities = [OBAMA, OFFICE, everywhere]
    if not in_order:
        entities = [dict(reversed(entity.items())) for entity in entities]
    store, _, _ = mined(hand_written(tmp_path, *entities), languages=["en", "fr", "it"])
    assert store.manifest.language == "en"
    rows = store.sql("SELECT * FROM labels WHERE id LIKE 'Q%'").to_pylist()
    assert {(row["id"], row["language"]): row["label"] for row in rows} == {
        ("Q76", "fr"): "Barack Obama (fr)",
        ("Q11696", "fr"): "président des États-Unis",
        ("Q4416090", "fr"): "sénateur",
        ("Q4416090", "it"): "Senator",
    }
    labels = {row["id"]: row["label"] for row in store.sql("SELECT id, label FROM entities").to_pylist()}
    assert (labels["Q76"], labels["Q4416090"]) == ("Barack Obama", "sénateur")  # without an English name, the next one


def test_relations_can_be_chosen_and_left_out(tmp_path: Path) -> None:
    path = hand_written(tmp_path, OBAMA)
    only, _, _ = mined(path, numbers=True, relation=["P2048"])
    assert told(only) == {"Q76 P2048 1.87 Q11573 2008..2008"}
    without, _, _ = mined(path, numbers=True, without_relation=["P2048"])
    assert len(told(without)) == 2


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "pageviews-20260901-000000.gz",
            "en Barack_Obama 40 0\nen.m Barack_Obama 2 0\nde Barack_Obama 9 0\nen broken\n",
        ),
        (
            "pageviews-202609-user.bz2",
            "en.wikipedia Barack_Obama 534366 desktop 40 A40\nen.wikipedia Barack_Obama 534366 mobile-web 2 B2\n"
            "de.wikipedia Barack_Obama 1 desktop 9 A9\n",
        ),
    ],
)
def test_page_views_are_a_second_measure_of_popularity(tmp_path: Path, name: str, lines: str) -> None:
    views = tmp_path / name
    views.write_bytes((gzip if name.endswith(".gz") else bz2).compress(lines.encode()))
    store, _, _ = mined(hand_written(tmp_path, OBAMA, OFFICE), page_views=views)
    assert (store.entity("Q76").popularity, store.entity("Q11696").popularity) == (42.0, 0.0)
    views.write_bytes((gzip if name.endswith(".gz") else bz2).compress(b"fr Paris 3 0\n"))
    with pytest.raises(UserError, match="has no views of pages in the Wikipedia of language 'en'"):
        mined(hand_written(tmp_path, OBAMA, OFFICE), page_views=views)


def test_a_misshapen_statement_costs_only_itself(tmp_path: Path) -> None:
    spoiled = json.loads(json.dumps(OBAMA))
    spoiled["claims"]["P39"][0]["qualifiers"]["P580"][0]["datavalue"] = {"value": 7, "type": "string"}
    store, source, _ = mined(hand_written(tmp_path, spoiled))
    assert told(store) == {"Q76 P39 Q4416090 2005-01-03..not stated"}
    assert source.counts["rejected"] == 1
    assert "P39 of Q76" in rejects_of(store)[0]["reason"]


def test_signs_that_are_none_and_strange_ids_stop_nothing(tmp_path: Path) -> None:
    strange = [named(id) | {"claims": [], "sitelinks": []} for id in ("Q1x", "Q" + "9" * 30, "Q7")]
    path = hand_written(tmp_path, OBAMA, OFFICE, *strange)
    text = path.read_bytes().replace(b'"value":"POTUS"', rb'"value":"half \ud83d"')
    path.write_bytes(text.replace(b'"value":"President of', b'"value":"\xff of'))
    store, source, _ = mined(path)
    assert store.entity("Q11696").names == ("\ufffd of the United States", "half ?")
    assert (source.counts["items"], source.counts["other entities"]) == (3, 2)


def test_dumps_are_recognised_by_name_and_beginning(tmp_path: Path) -> None:
    good = hand_written(tmp_path, OFFICE)
    assert open_source(str(good)).name == "hand.json"
    for name, text in (("facts.json", '{"a": 1}\n'), ("list.xyz", "[\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match="is not a source that asof can read"):
            open_source(str(tmp_path / name))


def test_settings_of_another_source_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("subject,relation,object,start\n", encoding="utf-8")
    with pytest.raises(
        UserError, match=r"t\.csv is read as a source of the kind 'table', which has no setting 'processes'"
    ):
        open_source(str(tmp_path / "t.csv"), processes=2)


def test_the_generator_is_seeded(tmp_path: Path) -> None:
    for name in ("one.json", "two.json"):
        write_dump(tmp_path / name, Plan(entities=50, seed=Random(1).randrange(100)))
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
