"""``asof predict``: the missing end of a fact, or when it held, from a trained model."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from asof.cli.options import When, json_option
from asof.cli.output import Row, show, talk, write_json
from asof.cli.trained_models import model_argument, open_model
from asof.errors import UserError
from asof.timeline import Time

if TYPE_CHECKING:
    from asof.completion.trained.folder import Trained
    from asof.completion.trained.prediction import WhenAnswer

_EXAMPLES = """\b
Examples:
  asof predict trained/YAGO11k-timeplex-base --subject "David Beckham" --relation playsFor --on 2004
  asof predict trained/YAGO11k-timeplex-base --relation playsFor --object "Real Madrid" --on 2004
  asof predict trained/YAGO11k-timeplex-base --subject "David Beckham" --relation playsFor \\
      --object "Real Madrid" --when
"""
_ASKED = (None, "?")
_BARS = " ▁▂▃▄▅▆▇█"
_WIDTH = 60


@click.command("predict", epilog=_EXAMPLES)
@model_argument
@click.option("--subject", metavar="NAME", help="A name or an id; left out or '?' it is asked for.")
@click.option("--relation", metavar="NAME", required=True, help="A name or an id.")
@click.option("--object", "object_name", metavar="NAME", help="A name or an id; left out or '?' it is asked for.")
@click.option("--on", type=When(), help="At this time: 2011, 2011-03, 2011-03-20. Without it: at any time.")
@click.option("--when", "asks_when", is_flag=True, help="Ask when the fact held; give subject and object.")
@click.option("--top", type=click.IntRange(min=1), help="So many answers (default: 10; 3 intervals with --when).")
@json_option
def command(
    folder: Path,
    subject: str | None,
    relation: str,
    object_name: str | None,
    on: Time | None,
    asks_when: bool,
    top: int | None,
    as_json: bool,
) -> None:
    """Ask a trained model for the missing subject or object of a fact, or for its time.

    Probabilities are fitted on valid. That of an entity is for it to be the answer besides the known ones, which are
    marked; that of an interval is the share of the fact's time that is expected within.
    """
    open_ends = [name for name in (subject, object_name) if name in _ASKED]
    if asks_when and (open_ends or on):
        raise UserError("--when asks for the time of a whole fact: give --subject and --object, and no --on.")
    if not asks_when and len(open_ends) != 1:
        raise UserError(
            "Leave out either --subject or --object, or write '?' for it. To ask for the time of a fact add --when."
        )
    trained = open_model(folder)
    number = trained.relations.number(relation)
    if asks_when:
        ends = trained.entities.number(subject or ""), trained.entities.number(object_name or "")
        _tell_when(trained, ends[0], number, ends[1], top or 3, as_json)
    else:
        turned = subject in _ASKED
        known = trained.entities.number((object_name if turned else subject) or "")
        _tell_answers(trained, known, number, on, turned, top or 10, as_json)


def _tell_answers(
    trained: "Trained", entity: int, relation: int, on: Time | None, turned: bool, top: int, as_json: bool
) -> None:
    from asof.completion.trained.prediction import ALWAYS, answers, asked_time, written

    dataset = trained.dataset
    time = asked_time(on, dataset.granularity) if on else ALWAYS
    first, last = dataset.covered
    if on and (time[1] < first or time[0] > last):
        covered = " to ".join(written(end, dataset.granularity) for end in (first, last))
        talk(f"The facts of {dataset.name} are from {covered}; {on} lies beyond them, so time tells little here.")
    found = answers(trained, entity, relation + turned * len(dataset.relations), time, top=top)
    wanted = "subject" if turned else "object"
    rows = [
        {
            wanted: trained.entities.labels[one.entity],
            "probability": round(one.probability, 4),
            "known": "; ".join(_spell(spell, dataset.granularity) for spell in one.known),
            f"{wanted}_id": trained.entities.ids[one.entity],
        }
        for one in found
    ]
    show(rows, columns=[wanted, "probability", "known"], as_json=as_json)
    if any(one.known for one in found) and not all(one.known for one in found):
        talk(f"The base knows {wanted}s for this; the other probabilities are for a further one, if there is any.")


def _spell(spell: tuple[int, int], granularity: str) -> str:
    from asof.completion.trained.prediction import written

    first, last = (written(end, granularity) for end in spell)  # type: ignore[arg-type]
    return first if first == last and first else f"{first or '?'} to {last or '?'}"


def _tell_when(trained: "Trained", subject: int, relation: int, object: int, top: int, as_json: bool) -> None:
    from asof.completion.trained.prediction import ALWAYS, known_intervals, when, written

    granularity = trained.dataset.granularity
    found = when(trained, subject, relation, object, top=top)
    rows: list[Row] = [
        {"start": written(first, granularity), "end": written(last, granularity), "probability": round(share, 4)}
        for first, last, share in found.intervals
    ]
    known = [
        _spell(spell, granularity)
        for spell in known_intervals(trained.dataset, subject, relation, ALWAYS).get(object, [])
    ]
    if as_json:
        curve = [
            {"time": written(int(time), granularity), "probability": round(float(chance), 6)}
            for time, chance in zip(found.times, found.curve, strict=True)
        ]
        write_json({"intervals": rows, "known": known, "curve": curve})
        return
    show(rows, columns=["start", "end", "probability"], as_json=False)
    for line in drawn(found, granularity):
        talk(line)
    if known:
        talk(f"{trained.dataset.name} has this fact: {', '.join(known)}.")


def drawn(found: "WhenAnswer", granularity: str, width: int = _WIDTH) -> list[str]:
    """Draw the middle nine tenths of the curve as a line of bars, and the best interval below."""
    from asof.completion.trained.prediction import written

    sums = found.curve.cumsum()
    inside = (sums >= 0.05) & (sums - found.curve <= 0.95)
    times, chances = found.times[inside], found.curve[inside]
    first, last = int(times.min()), int(times.max())
    length = last - first + 1
    cells = min(width, length)
    places = (times - first) * cells // length
    heights = np.bincount(places, chances, minlength=cells)
    levels = np.ceil(heights / heights.max() * (len(_BARS) - 1)).astype(int)
    begin, end = ((min(max(edge, first), last) - first) * cells // length for edge in found.intervals[0][:2])
    labels = [written(edge, granularity) for edge in (first, last)]  # type: ignore[arg-type]
    mark = " " * begin + "─" * (end - begin + 1)
    return [
        "".join(_BARS[level] for level in levels),
        mark,
        labels[0] + labels[1].rjust(max(cells - len(labels[0]), len(labels[1]) + 1)),
    ]
