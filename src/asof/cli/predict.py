"""``asof predict``: the missing end of a fact, or when it held, from a trained model."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from asof.cli.options import TimeOption, json_option
from asof.cli.output import show, talk
from asof.cli.trained_models import forecast_facts, model_argument, open_model
from asof.completion.prediction_row import PredictionRow, prediction_columns
from asof.errors import UserError
from asof.timeline import Time

if TYPE_CHECKING:
    from asof.completion.trained.folder import TrainedModel
    from asof.completion.trained.prediction import WhenAnswer

_EXAMPLES = """\b
Examples:
  asof predict trained/YAGO11k-timeplex-base --subject "David Beckham" --relation playsFor --on 2004
  asof predict trained/YAGO11k-timeplex-base --relation playsFor --object "Real Madrid" --on 2004
  asof predict trained/YAGO11k-timeplex-base --subject "David Beckham" --relation playsFor \\
      --object "Real Madrid" --when
  asof predict almanac --subject France --relation "head of government" --after 2020
"""
_ASKED = (None, "?")
_BARS = " ▁▂▃▄▅▆▇█"
_WIDTH = 60


@click.command("predict", epilog=_EXAMPLES)
@model_argument
@click.option("--subject", metavar="NAME", help="A name or an id; if omitted or '?', it is predicted.")
@click.option("--relation", metavar="NAME", required=True, help="A name or an id.")
@click.option("--object", "object_name", metavar="NAME", help="A name or an id; if omitted or '?', it is predicted.")
@click.option("--on", type=TimeOption(), help="The time of the fact: 2011, 2011-03, 2011-03-20 (default: any time).")
@click.option(
    "--after",
    type=TimeOption(),
    help="What comes next after this time, and when: only what was known by then is looked at. Takes a base, too.",
)
@click.option("--when", "asks_when", is_flag=True, help="Predict the valid time of the fact; give subject and object.")
@click.option("--top", type=click.IntRange(min=1), help="The number of answers (default: 10; 3 intervals with --when).")
@json_option
def command(
    folder: Path,
    subject: str | None,
    relation: str,
    object_name: str | None,
    on: Time | None,
    after: Time | None,
    asks_when: bool,
    top: int | None,
    as_json: bool,
) -> None:
    """Predict a missing subject, object or interval of a fact, or what comes next.

    Probabilities are calibrated on facts that were not learnt from. That of an entity is that of being a further answer
    besides the known ones, which are marked; that of an interval is the share of the fact's time that is expected
    within it, for every scorer; the likeliest comes first.

    With --after each row is a statement, and its probability is that it is true: what holds then ends (or does not end)
    within these times, the next one begins (or none begins) within these times, the next one is this. Where several
    begin at once, the next one is one of them at random. All of that is counted, from what was known on that day and
    nothing else: how long things lasted and who followed, there and elsewhere. It needs no training.
    """
    if after:
        if on or asks_when:
            raise UserError("--after asks what comes next: omit --on and --when.")
        _tell_next(folder, subject, relation, object_name, after, top or 10, as_json)
        return
    open_ends = [name for name in (subject, object_name) if name in _ASKED]
    if asks_when and (open_ends or on):
        raise UserError("--when asks for the time of a whole fact: give --subject and --object, and omit --on.")
    if not asks_when and len(open_ends) != 1:
        raise UserError(
            "Omit either --subject or --object, or write '?' for it. To ask for the time of a fact add --when."
        )
    trained = open_model(folder)
    if asks_when:
        _tell_when(trained, subject or "", relation, object_name or "", top or 3, as_json)
        return
    from asof.completion.trained.prediction_rows import answer_rows

    ends = {"subject": None if subject in _ASKED else subject, "object": None if object_name in _ASKED else object_name}
    rows, notes = answer_rows(trained, **ends, relation=relation, on=on, top=top or 10)
    _show(rows, as_json)
    for note in notes:
        talk(note)


def _show(rows: Sequence[PredictionRow], as_json: bool) -> None:
    """Show predictions; the curve of an interval is for programs, people see it drawn."""
    listed = [asdict(row) for row in rows]
    if not as_json:
        listed = [{name: value for name, value in row.items() if name != "curve"} for row in listed]
    show(listed, columns=prediction_columns(rows[0].what) if rows else (), as_json=as_json)


def _tell_next(
    folder: Path, subject: str | None, relation: str, object: str | None, after: Time, top: int, as_json: bool
) -> None:
    subject, object = (None if one in _ASKED else one for one in (subject, object))
    if subject is None and object is None:
        raise UserError("What comes next of what? Give --subject or --object; with both, when the present fact ends.")
    facts = forecast_facts(folder)
    from asof.completion.forecast.outlook_rows import outlook_rows

    rows, notes = outlook_rows(facts, subject=subject, relation=relation, object=object, after=after, top=top)
    _show(rows, as_json)
    for note in notes:
        talk(note)


def _tell_when(trained: "TrainedModel", subject: str, relation: str, object: str, top: int, as_json: bool) -> None:
    from asof.completion.trained.prediction import when
    from asof.completion.trained.prediction_rows import interval_rows

    names = trained.entities
    fact = names.number(subject), trained.relations.number(relation), names.number(object)
    found = when(trained, *fact, top=top)
    rows = interval_rows(trained, *fact, found)
    _show(rows, as_json)
    if as_json:
        return
    for line in drawn(found, trained.dataset.granularity):
        talk(line)
    if rows and rows[0].known:
        talk(f"{trained.dataset.name} has this fact: {', '.join(rows[0].known)}.")


def drawn(answer: "WhenAnswer", granularity: str, width: int = _WIDTH) -> list[str]:
    """Draw the middle nine tenths of the curve as a line of bars, and the best interval below."""
    from asof.completion.trained.prediction import written

    sums = answer.curve.cumsum()
    inside = (sums >= 0.05) & (sums - answer.curve <= 0.95)
    times, chances = answer.times[inside], answer.curve[inside]
    first, last = int(times.min()), int(times.max())
    length = last - first + 1
    cells = min(width, length)
    indices = (times - first) * cells // length
    heights = np.bincount(indices, chances, minlength=cells)
    levels = np.ceil(heights / heights.max() * (len(_BARS) - 1)).astype(int)
    begin, end = ((min(max(edge, first), last) - first) * cells // length for edge in answer.intervals[0][:2])
    labels = [written(edge, granularity) for edge in (first, last)]  # type: ignore[arg-type]
    mark = " " * begin + "─" * (end - begin + 1)
    return [
        "".join(_BARS[level] for level in levels),
        mark,
        labels[0] + labels[1].rjust(max(cells - len(labels[0]), len(labels[1]) + 1)),
    ]
