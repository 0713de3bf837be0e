"""``asof readers``: train a reader, and measure one on questions with marked answers."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from asof.cli.options import json_option
from asof.cli.output import show, talk
from asof.cli.progress import progress_bar
from asof.errors import UserError, did_you_mean
from asof.reading.answers import Reader, open_reader
from asof.reading.consistency import consistency
from asof.reading.evaluation import GROUPS, Judged, judge, results
from asof.reading.questions import ReadingItem, read_timeqa, read_timeqa_folder

_TRAINABLE = ("fid", "temporal")


@click.group("readers")
def command() -> None:
    """Train a reader of documents, and measure readers."""


@command.command("train")
@click.argument("reader")
@click.argument("data", type=click.Path(path_type=Path, exists=True))
@click.option("--to", "folder", type=click.Path(path_type=Path), help="The folder (default: trained/READER).")
@click.option("--start", help="Weights to begin with, for fid: a T5 folder or hub name.")
@click.option("--epochs", type=click.IntRange(min=1), help="How often fid sees each question (default: 3).")
@click.option("--seed", type=int, default=0, show_default=True, help="For everything that is drawn at random.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many questions.")
def train(
    reader: str, data: Path, folder: Path | None, start: str | None, epochs: int | None, seed: int, limit: int | None
) -> None:
    """Train a reader on TimeQA files; pages of the test part are never seen.

    The temporal reader learns from the train and dev parts and sets its threshold by cross-validation; fid learns from
    the train part alone.
    """
    if reader not in _TRAINABLE:
        raise UserError(f"{reader!r} is not trained here.{did_you_mean(reader, _TRAINABLE)} Trainable: fid, temporal.")
    items = _items(data)
    learn = [item for item in items if item.part == "train"][:limit]
    target = folder or Path("trained") / reader
    if reader == "temporal":
        from asof.models._weights import fetch
        from asof.reading.encoder import Encoder
        from asof.reading.temporal_model import save
        from asof.reading.training import Settings
        from asof.reading.training import train as train_temporal

        learn = [item for item in items if item.part != "test"][:limit]
        if start or epochs:
            raise UserError(
                "--start and --epochs are for fid; the temporal reader begins from nothing and has no epochs."
            )
        model = train_temporal(learn, Encoder(fetch("bge-small")), settings=Settings(seed=seed), told=talk)
        save(model, target)
    else:
        from asof.reading.readers.fid import train_fid

        if not start:
            raise UserError("fid begins with a T5: name it with --start FOLDER or --start t5-base.")
        train_fid(learn, start=start, folder=target, epochs=epochs or 3, seed=seed, told=talk)
    part = "test" if reader == "temporal" else "dev"
    talk(f"{target} is trained. Next: asof readers score {reader}:{target} {data} --part {part}")


@command.command("score")
@click.argument("reader")
@click.argument("data", type=click.Path(path_type=Path, exists=True))
@click.option("--part", type=click.Choice(["train", "dev", "test", "all"]), default="dev", show_default=True)
@click.option("--by", type=click.Choice(list(GROUPS)), default="mode", show_default=True, help="Group the questions.")
@click.option("--consistency", "moved", is_flag=True, help="Also move the asked time inside its range.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many questions.")
@click.option("--to", "path", type=click.Path(path_type=Path), help="Write every answer to this file, as JSON lines.")
@json_option
def score(
    reader: str, data: Path, part: str, by: str, moved: bool, limit: int | None, path: Path | None, as_json: bool
) -> None:
    """Measure a reader: EM and F1 with n and 95 % intervals, resampled by page."""
    items = [item for item in _items(data) if part in ("all", item.part)][:limit]
    if not items:
        raise UserError(f"{data} has no question in the {part} part. Try --part all.")
    opened = open_reader(reader)
    judged = judge(items, answers_of(opened, items))
    if path:
        _write(path, judged)
    rows = []
    for group, measures in results(judged, by=by).items():
        for name, result in measures.items():
            rows.append(
                {
                    "metric": f"{name} {group}",
                    "value": result.value,
                    "low": result.low,
                    "high": result.high,
                    "n": result.n,
                }
            )
    if moved:
        found = consistency([item for item in items if item.mode == "easy"], lambda asked: answers_of(opened, asked))
        for name, result in (("constant", found.constant), ("constant and right", found.right),
                             ("constant if answered", found.constant_if_answered)):  # fmt: skip
            rows.append({"metric": name, "value": result.value, "low": result.low, "high": result.high, "n": result.n})
    show(rows, columns=["metric", "value", "low", "high", "n"], as_json=as_json)


def answers_of(reader: Reader, items: Sequence[ReadingItem]) -> list[str]:
    """Answer items, document by document, in the order of the items."""
    places: dict[int, list[int]] = {}
    for place, item in enumerate(items):
        places.setdefault(id(item.document), []).append(place)
    found = [""] * len(items)
    with progress_bar("reading", unit="documents") as progress:
        for done, group in enumerate(places.values(), start=1):
            answers = reader.read_many([items[place].question for place in group], items[group[0]].document)
            for place, answer in zip(group, answers, strict=True):
                found[place] = answer.text
            progress(done, len(places))
    return found


def _items(data: Path) -> list[ReadingItem]:
    return read_timeqa_folder(data) if data.is_dir() else read_timeqa(data)


def _write(path: Path, judged: Sequence[Judged]) -> None:
    lines = [
        json.dumps(
            {"id": one.item.id, "mode": one.item.mode, "question": one.item.question, "answer": one.answer,
             "answers": list(one.item.answers), "em": one.em, "f1": one.f1},
            ensure_ascii=False,
        )
        for one in judged
    ]  # fmt: skip
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    temporary.replace(path)
