"""Which column of a table is which: as somebody says, by our names, or by words that people use for them.

A table can be seen in several ways at once: of a wide table each view takes other columns and a relation of its own.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from asof.errors import UserError, did_you_mean

THINGS = ("subject", "relation", "object")
TIMES = ("start", "end")
LABELS = ("subject_label", "relation_label", "object_label")
OURS = (*THINGS, *TIMES, "rank", "statement", "source", *LABELS)

# How people call these columns, in the order in which they are looked for. "Objekt" and the like are missing: a museum
# means the thing itself by it, our subject.
_WORDS = {
    "subject": ("subject id", "subject name", "entity", "entity id"),
    "relation": ("relationship", "predicate", "property", "relation id", "relation name"),
    "object": ("object id", "object name", "value"),
    "start": (
        "start date", "date start", "date of start", "start day", "start year", "start time", "from", "from date",
        "date from", "since", "begin", "begins", "beginning", "begin date", "begun", "began", "starts", "started",
        "started on", "starting", "starting date", "valid from", "effective from", "effective date", "in office from",
        "von", "seit", "ab", "beginn", "anfang", "start datum", "startdatum", "gültig ab", "gültig von",
        "depuis", "de", "du", "début", "date de début", "date début", "à partir de",
        "desde", "inicio", "fecha de inicio", "fecha inicio", "início", "data de início",
        "dal", "da", "inizio", "data inizio", "data di inizio", "van", "vanaf", "sinds", "begindatum",
    ),
    "end": (
        "end date", "date end", "date of end", "end day", "end year", "end time", "to", "to date", "date to", "until",
        "till", "til", "through", "thru", "ends", "ended", "ended on", "ending", "ending date", "finish", "finished",
        "valid to", "valid until", "valid till", "valid through", "effective to", "in office until", "in office to",
        "bis", "ende", "enddatum", "gültig bis",
        "jusqu'à", "jusqu'au", "jusque", "à", "au", "fin", "date de fin", "date fin",
        "hasta", "fecha de fin", "fecha fin", "fecha final", "até", "fim", "data de fim",
        "al", "fine", "data fine", "data di fine", "tot", "tot en met", "einde", "einddatum",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class View:
    """One way in which the rows of a table are facts."""

    places: Mapping[str, int]  # of our columns, in the header
    relation: str | None = None  # of all rows, where no column says it
    assumed: Mapping[str, str] = field(default_factory=dict)  # our columns, and theirs that were taken for them


def views_of(
    header: Sequence[str], columns: Sequence[Mapping[str, str]], relations: Sequence[str], *, path: object
) -> list[View]:
    """Find the columns of each view, or say which one is missing.

    >>> [view] = views_of(["Company", "CEO", "Since"], [{"subject": "company", "object": "CEO"}], ["led by"], path="x")
    >>> view.places, view.assumed
    ({'start': 2, 'subject': 0, 'object': 1}, {'start': 'Since'})
    """
    columns = columns or [{}]
    if relations and len(relations) != len(columns):
        raise UserError(
            f"--relation stands {len(relations)} times and --columns {len(columns)} times. Each --columns of a wide "
            "table has its own --relation, in the same order."
        )
    if not relations:
        return [_view(header, given, None, path) for given in columns]
    return [_view(header, given, relation, path) for given, relation in zip(columns, relations, strict=True)]


def is_header(row: Sequence[str], columns: Sequence[Mapping[str, str]], relations: Sequence[str]) -> bool:
    """Tell whether a row names all columns that are needed."""
    try:
        views_of(row, columns, relations, path="")
    except UserError:
        return False
    return True


def columns_given(columns: Any) -> list[dict[str, str]]:
    """Return what was given as columns, one mapping for each view; a name that is none of ours is refused."""
    given = [columns] if isinstance(columns, Mapping) else list(columns or ())
    for name in (name for mapping in given for name in mapping):
        if name not in OURS:
            raise UserError(f"asof has no column {name!r}.{did_you_mean(name, OURS)} It has: {', '.join(OURS)}.")
    return [dict(mapping) for mapping in given if mapping]


def _view(header: Sequence[str], given: Mapping[str, str], relation: str | None, path: object) -> View:
    if relation is not None and "relation" in given:
        raise UserError(
            f"--columns relation={given['relation']} and --relation {relation!r} both say the relation. Leave out one."
        )
    names = [_plain(name) for name in header]
    places = {ours: place for ours, theirs in given.items() if (place := _named(theirs, header, names)) is not None}
    taken = {_plain(theirs) for theirs in given.values()}
    found, assumed = dict[str, int](), dict[str, str]()
    for ours in OURS:
        if ours in given or (ours == "relation" and relation is not None):
            continue
        place = _exactly(ours, header, names)
        if place is None and (guess := _by_word(ours, header, names, taken, path)) is not None:
            place, assumed[ours] = guess, header[guess]
        if place is not None:
            found[ours] = place
    found |= places
    _see_that_all_are_there(found, given, header, relation, path)
    _see_that_none_stands_twice(found, header, path)
    return View(found, relation, assumed)


def _named(theirs: str, header: Sequence[str], names: list[str]) -> int | None:
    return header.index(theirs) if theirs in header else _index(_plain(theirs), names)


def _exactly(ours: str, header: Sequence[str], names: list[str]) -> int | None:
    return header.index(ours) if ours in header else _index(_plain(ours), names)


def _index(name: str, names: list[str]) -> int | None:
    return names.index(name) if name and name in names else None


def _by_word(ours: str, header: Sequence[str], names: list[str], taken: set[str], path: object) -> int | None:
    """Find a column by the words that people use, unless two would do."""
    words = _PLAIN_WORDS.get(ours, ())
    fitting = dict.fromkeys(names[names.index(word)] for word in words if word in names and word not in taken)
    if len(fitting) > 1:
        shown = " or ".join(repr(header[names.index(name)]) for name in list(fitting)[:2])
        example = header[names.index(next(iter(fitting)))]
        raise UserError(f"{path}: the {ours} may be {shown}. Say which one, as in --columns {ours}={example!r}.")
    return names.index(next(iter(fitting))) if fitting else None


def _see_that_all_are_there(
    columns: Mapping[str, int], given: Mapping[str, str], header: Sequence[str], relation: str | None, path: object
) -> None:
    needed = [ours for ours in THINGS if ours != "relation" or relation is None]
    missing = [ours for ours in OURS if ours not in columns and (ours in needed or ours in given)]
    if not missing and not any(time in columns for time in TIMES):
        missing = ["start"]
    if not missing:
        return
    wanted = given.get(missing[0], missing[0])
    there = [name for name in header if name]
    pairs = ",".join(f"{ours}=NAME" for ours in missing if ours != "relation")
    named = header[columns["object"]] if "object" in columns else "NAME"
    of_all = f"--relation {named!r}".replace("'NAME'", "NAME")
    if "relation" not in missing:
        how = f"Say which one to take with: --columns {pairs}"
    elif pairs:
        how = f"Say which ones to take with: --columns {pairs},relation=NAME (or {of_all} for all rows)"
    else:
        how = f"Say which one to take with: --columns relation=NAME; or say it for all rows, as in {of_all}"
    if how_cut := _how_else_cut(there):
        raise UserError(f"{path} has no column {wanted!r}. It has: {', '.join(there)}.\n{how_cut}")
    raise UserError(f"{path} has no column {wanted!r}.{did_you_mean(wanted, there)} It has: {', '.join(there)}.\n{how}")


def _how_else_cut(header: Sequence[str]) -> str:
    """Say what may be wrong with a header as a whole: another separator, or that it is a row.

    >>> _how_else_cut(["subject~object~start"])
    "If '~' stands between its cells, say so with --separator '~'."
    """
    if len(header) == 1:
        signs = Counter(sign for sign in header[0] if not sign.isalnum() and sign not in " _'\"")
        if signs and (sign := signs.most_common(1)[0])[1] > 1:
            return f"If {sign[0]!r} stands between its cells, say so with --separator {sign[0]!r}."
    if sum(name.strip().isdecimal() for name in header) > 1:
        return "That looks like a row. Let the first line name the columns: subject, relation, object, start, end."
    return ""


def _see_that_none_stands_twice(found: Mapping[str, int], header: Sequence[str], path: object) -> None:
    counts = Counter(header)
    twice = next((header[place] for place in found.values() if counts[header[place]] > 1), None)
    if twice is not None:
        columns = " and ".join(str(place) for place, name in enumerate(header, start=1) if name == twice)
        raise UserError(
            f"{path} has the column {twice!r} more than once (columns {columns}). Give each a name of its own in the "
            "line that names the columns."
        )


def _plain(name: str) -> str:
    """Return a name without case, signs and superfluous space.

    >>> _plain(" Start_Date: "), _plain("(FROM)")
    ('start date', 'from')
    """
    text = unicodedata.normalize("NFKC", name).casefold().replace("’", "'")
    return " ".join(re.sub(r"[^\w']+|_", " ", text).split())


_PLAIN_WORDS = {ours: tuple(dict.fromkeys(map(_plain, words))) for ours, words in _WORDS.items()}
