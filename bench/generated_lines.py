"""Lines of a generated dump: items, properties, lexemes and redirects in Wikidata's schema, with the truth of each."""

import json
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from bench.generated_times import Time, a_point, a_spell, bad_time, two_spells

# Relations of dated statements, and what their objects are.
PROPERTIES = {
    "P39": "item", "P54": "item", "P6": "item", "P26": "item", "P69": "item", "P108": "item", "P102": "item",
    "P1448": "text", "P1813": "string", "P571": "time", "P1082": "quantity", "P18": "media", "P625": "coordinates",
}  # fmt: skip
_WEIGHTS = [9, 9, 6, 5, 5, 5, 5, 1, 1, 1, 3, 1, 1]
_OTHER_LANGUAGES = ("de", "fr", "en-gb", "es", "ru", "zh-hant", "ar", "nl", "pt-br", "ja", "it", "sv", "uk", "en-ca")
_NAMES = ("Ada", "Béla", "Çelik", "Dmitri", "Émile", "Fatima", "Gödel", "Ōe", "李", 'Anna "N"', "A/B", "a\\", "a]b")
_REASONS = {
    "quantity": "quantities", "media": "media", "coordinates": "coordinates",
    "unknown": "objects without value", "none": "objects without value",
}  # fmt: skip
GREGORIAN = "http://www.wikidata.org/entity/Q1985727"
KEPT_QUALIFIER = "P768"


@dataclass
class Drawn:
    """What a line holds."""

    facts: list[dict[str, Any]] = field(default_factory=list)
    entities: dict[str, dict[str, Any]] = field(default_factory=dict)
    relations: dict[str, dict[str, Any]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    modified: str = ""


@dataclass(frozen=True)
class Filler:
    """Text that makes lines as long as they really are; drawn once and used again and again."""

    labels: list[str]
    aliases: list[str]
    claims: list[str]
    escaped: bool

    @classmethod
    def drawn(cls, random: Random, line_bytes: int, *, escaped: bool) -> "Filler":
        """Draw 200 fillers of different lengths around the wanted mean."""
        empty = cls([], [], [], escaped)
        labels, aliases, claims = [], [], []
        for _ in range(200):
            size = max(0, int(1.35 * line_bytes * random.gammavariate(2.0, 0.5)) - 1_200)
            some = random.sample(_OTHER_LANGUAGES, k=min(len(_OTHER_LANGUAGES), size // 700))
            names = [f"{language} {random.choice(_NAMES)} {random.getrandbits(24):x}" for language in some]
            said = [f'{name}, they say "en":{{"language":"en","value":"wrong"}}' for name in names]
            pairs = list(zip(some, names, said, strict=True))
            labels.append("".join(f',"{code}":{empty.text(code, name)}' for code, name, _ in pairs))
            aliases.append("".join(f',"{code}":[{empty.text(code, text)}]' for code, _, text in pairs[::2]))
            left = max(0, size - 3 * len(labels[-1]))
            claims.append(",".join(empty.undated(random, 700 + number) for number in range(left // 900)))
        return cls(labels, aliases, claims, escaped)

    def json(self, value: Any) -> str:
        """Write JSON as PHP does: compact, and escaped if wanted."""
        text = json.dumps(value, ensure_ascii=self.escaped, separators=(",", ":"))
        return text.replace("/", "\\/") if self.escaped else text

    def text(self, language: str, value: str) -> str:
        """Write a label, a description or an alias."""
        return self.json({"language": language, "value": value})

    def undated(self, random: Random, property: int) -> str:
        """Write a property with one statement that has no dates but all the rest, a reference with a date included."""
        id = f"P{property}"
        reference_date = Time("+2020-05-01T00:00:00Z", 11, GREGORIAN, "2020-05-01")
        statement = {
            "mainsnak": snak(id, "item", item_value(random.randrange(1, 100_000))),
            "type": "statement",
            "qualifiers": {"P1545": [hashed(random) | snak("P1545", "string", "1")]},
            "qualifiers-order": ["P1545"],
            "id": f"Q1$filler-{property}",
            "rank": "normal",
            "references": [
                {
                    "hash": f"{random.getrandbits(160):040x}",
                    "snaks": {"P813": [snak("P813", "time", reference_date.value)]}
                    | ({"P585": [snak("P585", "time", reference_date.value)]} if random.random() < 0.002 else {}),
                    "snaks-order": ["P813"],
                }
            ],
        }
        return f'"{id}":{self.json([statement])}'


_DATATYPES = {
    "item": ("wikibase-item", "wikibase-entityid"), "text": ("monolingualtext", "monolingualtext"),
    "string": ("string", "string"), "time": ("time", "time"), "quantity": ("quantity", "quantity"),
    "media": ("commonsMedia", "string"), "coordinates": ("globe-coordinate", "globecoordinate"),
}  # fmt: skip


def snak(property: str, kind: str, value: Any, *, snaktype: str = "value") -> dict[str, Any]:
    """Return a snak; one without value has no datavalue."""
    datatype, type = _DATATYPES[kind]
    there = {"datavalue": {"value": value, "type": type}} if snaktype == "value" else {}
    return {"snaktype": snaktype, "property": property} | there | {"datatype": datatype}


def hashed(random: Random) -> dict[str, str]:
    """Return what a qualifier has and a main snak has not; merged in front, ``snaktype`` still comes first."""
    return {"snaktype": "", "property": "", "hash": f"{random.getrandbits(160):040x}"}


def item_value(number: int) -> dict[str, Any]:
    """Return the value of an item."""
    return {"entity-type": "item", "numeric-id": number, "id": f"Q{number}"}


def an_object(random: Random, kind: str, last: int) -> tuple[dict[str, Any] | str, str | None]:
    """Draw the value of a main snak and the object that a fact has, None when there is to be no fact."""
    number = random.randrange(1, last + last // 5 + 2)
    if kind == "item":
        return item_value(number), f"Q{number}"
    if kind == "text":
        return {"text": f"Città {number}", "language": "it"}, f"Città {number}"
    if kind == "string":
        return f"code/{number}", f"code/{number}"
    if kind == "time":
        time = a_point(random)
        return time.value, time.text
    if kind == "quantity":
        return {"amount": f"+{number}", "unit": "1"}, None
    if kind == "coordinates":
        return {"latitude": 1.5, "longitude": number, "globe": "http://www.wikidata.org/entity/Q2"}, None
    return f"File {number}.jpg", None


def item_line(number: int, random: Random, filler: Filler, *, dated: bool, last: int) -> tuple[bytes, Drawn]:
    """Write an item; a dated one has statements of every kind."""
    id = f"Q{number}"
    drawn = Drawn(counts=Counter(items=1))
    which = random.randrange(len(filler.labels))
    labels, descriptions, aliases, entity = _names(id, number, random, filler, which)
    sites = random.choice((0, 0, 0, 1, 2, 5, 30))
    entity["popularity"] = float(sites)
    drawn.entities[id] = entity
    claims = [filler.claims[which]] if filler.claims[which] else []
    if random.random() < 0.03:  # an event: its dates are statements of their own
        start = snak("P580", "time", a_point(random).value)
        event = {"mainsnak": start, "type": "statement", "id": f"{id}$e", "rank": "normal"}
        claims.append(f'"P580":{filler.json([event])}')
    if dated:
        claims = [*_dated_claims(id, random, filler, drawn, last), *claims]
    site = (f'"w{index}wiki":{{"site":"w{index}wiki","title":"{id}","badges":[]}}' for index in range(sites))
    drawn.modified = (
        f"2026-{random.randrange(1, 10):02d}-{random.randrange(1, 29):02d}T10:30:{random.randrange(10, 60)}Z"
    )
    line = (
        f'{{"type":"item","id":"{id}","labels":{labels},"descriptions":{descriptions},"aliases":{aliases},'
        f'"claims":{_map(",".join(claims))},"sitelinks":{_map(",".join(site))},"pageid":{number + 100},"ns":0,'
        f'"title":"{id}","lastrevid":{number * 7},"modified":"{drawn.modified}"}}'
    )
    return line.encode(), drawn


def _map(inside: str) -> str:
    return f"{{{inside}}}" if inside else "[]"


def _names(id: str, number: int, random: Random, filler: Filler, which: int) -> tuple[str, str, str, dict[str, Any]]:
    """Draw label, description and aliases: in English, in no language (mul), or none; return JSON and the truth."""
    name = f"{_NAMES[number % len(_NAMES)]} {_NAMES[number % 7]} {number}"
    name = name + "\\" if number % 101 == 0 else name
    language = random.choices(("en", "mul", ""), (80, 15, 5))[0]
    own = f',"{language}":{filler.text(language, name)}' if language else ""
    both = f',"mul":{filler.text("mul", "not this one")}' if language == "en" and random.random() < 0.1 else ""
    labels = _map((both + own + filler.labels[which] if number % 2 else both + filler.labels[which] + own)[1:])
    said = f'the "{number}" of {{it}}' if random.random() < 0.7 else None
    descriptions = _map((filler.aliases[which].replace("[", "").replace("]", "") + _said(said, filler))[1:])
    others = [f'{name} the {word} "}}]' for word in ("1st", "Élder", "/")[: random.choice((0, 0, 1, 3))]]
    mul = [f"mul {number}"] if random.random() < 0.1 else []
    lists = {code: names for code, names in (("en", others), ("mul", mul)) if names}
    inside = filler.aliases[which] + "".join(
        f',"{code}":[{",".join(filler.text(code, name) for name in names)}]' for code, names in lists.items()
    )
    entity = {"label": name if language else id, "aliases": others + mul, "description": said}
    return labels, descriptions, _map(inside[1:]), entity


def _said(description: str | None, filler: Filler) -> str:
    return f',"en":{filler.text("en", description)}' if description else ""


def _dated_claims(id: str, random: Random, filler: Filler, drawn: Drawn, last: int) -> list[str]:
    claims = []
    for property in sorted(set(random.choices(list(PROPERTIES), _WEIGHTS, k=random.randrange(1, 5)))):
        planned = [_statement(id, property, random, drawn, last) for _ in range(random.choice((1, 2, 3, 5)))]
        kept = [rank for rank, _, _ in planned if rank != "deprecated"]
        best = "preferred" if "preferred" in kept else "normal"
        for rank, facts, _ in planned:
            drawn.facts += [fact | {"best": rank == best} for fact in facts]
        claims.append(f'"{property}":{filler.json([statement for _, _, statement in planned])}')
    return claims


def _statement(
    id: str, property: str, random: Random, drawn: Drawn, last: int
) -> tuple[str, list[dict[str, Any]], dict[str, Any]]:
    """Draw one statement: its rank, its facts, its JSON."""
    kind = PROPERTIES[property]
    rank = random.choices(("normal", "preferred", "deprecated"), (80, 12, 8))[0]
    snaktype = random.choices(("value", "somevalue", "novalue"), (95, 3, 2))[0]
    value, object = an_object(random, kind, last)
    name = f"{id}${random.getrandbits(128):032X}"
    spells, qualifiers, outcome = _time_qualifiers(random)
    district = f"Q{random.randrange(1, last + 1)}" if random.random() < 0.1 else None
    if district:
        qualifiers[KEPT_QUALIFIER] = [hashed(random) | snak(KEPT_QUALIFIER, "item", item_value(int(district[1:])))]
    statement = {"mainsnak": snak(property, kind, value, snaktype=snaktype), "type": "statement"}
    if qualifiers or random.random() < 0.5:
        statement |= {"qualifiers": qualifiers or [], "qualifiers-order": list(qualifiers)}
    statement |= {"id": name, "rank": rank, "references": []}
    facts: list[dict[str, Any]] = []
    if outcome is None:
        return rank, facts, statement
    reason = _REASONS.get("unknown" if snaktype != "value" else kind)
    if rank == "deprecated":
        drawn.counts["deprecated"] += 1
    elif reason:
        drawn.counts[reason] += 1
    elif outcome:
        drawn.counts[outcome] += 1
    else:
        told = json.dumps({KEPT_QUALIFIER: [district]}, separators=(",", ":")) if district else None
        whole = {"subject": id, "relation": property, "object": object, "rank": rank, "statement": name}
        facts = [whole | {"start": start, "end": end, "qualifiers": told} for start, end in spells]
    return rank, facts, statement


Spells = list[tuple[str, str]]


def _time_qualifiers(random: Random) -> tuple[Spells, dict[str, Any], str | None]:
    """Draw qualifiers; return the spells they mean and what they come to: "" facts, None no dates, else the count."""
    form = random.choices(
        ("spell", "start", "end", "point", "nothing", "unknown start", "unknown end", "ongoing", "no start",
         "only no start", "two spells", "two points", "unknown point", "year 0", "inverted", "point beside"),
        (30, 20, 6, 12, 15, 3, 3, 4, 2, 1, 4, 2, 1, 1, 1, 2),
    )[0]  # fmt: skip
    start, end = a_spell(random)
    if form == "spell":
        return [(start.text, end.text)], _qualifiers(random, P580=[start], P582=[end]), ""
    if form == "start":
        return [(start.text, "not stated")], _qualifiers(random, P580=[start]), ""
    if form == "end":
        return [("not stated", end.text)], _qualifiers(random, P582=[end]), ""
    if form == "point":
        return [(start.text, start.text)], _qualifiers(random, P585=[start]), ""
    if form == "nothing":
        return [], {}, None
    if form == "unknown start":
        return [("unknown", end.text)], _qualifiers(random, P580=["somevalue"], P582=[end]), ""
    if form == "unknown end":
        return [(start.text, "unknown")], _qualifiers(random, P580=[start], P582=["somevalue"]), ""
    if form == "ongoing":
        return [(start.text, "ongoing")], _qualifiers(random, P580=[start], P582=["novalue"]), ""
    if form == "no start":
        return [("not stated", end.text)], _qualifiers(random, P580=["novalue"], P582=[end]), ""
    if form == "only no start":
        return [], _qualifiers(random, P580=["novalue"]), "without a date"
    if form == "two spells":
        spells = two_spells(random)
        starts, ends = ([pair[which] for pair in spells] for which in (0, 1))
        random.shuffle(starts)
        random.shuffle(ends)
        return [(one.text, other.text) for one, other in spells], _qualifiers(random, P580=starts, P582=ends), ""
    if form == "two points":
        both = [start, end]
        random.shuffle(both)
        return (
            [(time.text, time.text) for time in {start.text: start, end.text: end}.values()],
            _qualifiers(random, P585=both),
            "",
        )
    if form == "unknown point":
        return [("unknown", "unknown")], _qualifiers(random, P585=["somevalue"]), ""
    if form == "year 0":
        return [], _qualifiers(random, P580=[bad_time(random)], P582=[end]), "rejected"
    if form == "inverted":
        first, second = two_spells(random)
        return [], _qualifiers(random, P580=[second[1]], P582=[first[0]]), "rejected"
    return [(start.text, end.text)], _qualifiers(random, P585=[start], P580=[start], P582=[end]), ""


def _qualifiers(random: Random, **values: list[Time | str]) -> dict[str, Any]:
    return {
        property: [
            hashed(random)
            | (
                snak(property, "time", None, snaktype=value)
                if isinstance(value, str)
                else snak(property, "time", value.value)
            )
            for value in there
        ]
        for property, there in values.items()
    }


def property_line(number: int, random: Random, filler: Filler) -> tuple[bytes, Drawn]:
    """Write a property with its label."""
    id = list(PROPERTIES)[number - 1]
    label, alias = f"relation {id}", f"alias/{id}"
    line = (
        f'{{"type":"property","datatype":"wikibase-item","id":"{id}","labels":{{"en":{filler.text("en", label)}}},'
        f'"descriptions":[],"aliases":{{"en":[{filler.text("en", alias)}]}},"claims":[],"lastrevid":1,'
        f'"modified":"2020-01-01T00:00:00Z"}}'
    )
    known = {id: {"label": label, "aliases": [alias]}}
    return line.encode(), Drawn(relations=known, counts=Counter(properties=1), modified="2020-01-01T00:00:00Z")


def lexeme_line(number: int) -> tuple[bytes, Drawn]:
    """Write a lexeme; it has dated statements, and they are not ours."""
    when = {"P580": [snak("P580", "time", Time("+1900-00-00T00:00:00Z", 9, GREGORIAN, "1900").value)]}
    statement = {"mainsnak": snak("P5185", "string", "m"), "qualifiers": when, "id": f"L{number}$1", "rank": "normal"}
    line = {"type": "lexeme", "id": f"L{number}", "lemmas": {"en": {"language": "en", "value": "x"}}}
    claims = {"claims": {"P5185": [statement]}, "forms": [], "senses": []}
    return json.dumps(line | claims, separators=(",", ":")).encode(), Drawn(counts=Counter(lexemes=1))


def redirect_line(number: int) -> tuple[bytes, Drawn]:
    """Write a redirect."""
    return f'{{"entity":"Q{number}","redirect":"Q{number + 1}"}}'.encode(), Drawn(counts=Counter(redirects=1))
