"""``asof readers``: train a reader of documents, and see whether its answers stay while the asked time moves."""

from collections.abc import Sequence
from pathlib import Path

import click

from asof import registry
from asof.api.progress import progress_bar
from asof.cli.options import json_option
from asof.cli.output import show, talk, write_json
from asof.errors import UserError, did_you_mean
from asof.reading.answers import TrainableReader, open_reader, read_all, trainable_readers
from asof.reading.consistency import consistency
from asof.reading.questions import ReadingItem, read_questions


@click.group("readers")
def command() -> None:
    """Train readers of documents, and measure their consistency.

    Evaluate a reader like any model: asof run BENCHMARK temporal:FOLDER, then asof score.
    """


@command.command("train")
@click.argument("reader")
@click.argument("data", type=click.Path(path_type=Path, exists=True))
@click.option("--to", "folder", type=click.Path(path_type=Path), help="The folder (default: trained/READER).")
@click.option(
    "--start",
    help="The weights to start from: a folder or hub name; for fid a T5, for extractive an encoder (default: minilm).",
)
@click.option("--epochs", type=click.IntRange(min=1), help="The number of epochs of fid and extractive (default: 3).")
@click.option(
    "--adviser",
    metavar="MODEL",
    help="A causal language model that the temporal reader asks about its best candidates.",
)
@click.option(
    "--marker",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A network that marks answers, of asof readers teach: the temporal reader trains it further and uses it.",
)
@click.option(
    "--with",
    "opinion",
    metavar="MODEL",
    help="A language model whose own answers the temporal reader learns to weigh, for asof read --with MODEL.",
)
@click.option("--with-questions", type=click.IntRange(min=1), help="How many questions MODEL is asked (default: all).")
@click.option("--seed", type=int, default=0, show_default=True, help="The random seed.")
@click.option("--limit", type=click.IntRange(min=1), help="At most this many questions.")
@json_option
def train(
    reader: str,
    data: Path,
    folder: Path | None,
    start: str | None,
    epochs: int | None,
    adviser: str | None,
    marker: Path | None,
    opinion: str | None,
    with_questions: int | None,
    seed: int,
    limit: int | None,
    as_json: bool,
) -> None:
    """Train a reader on questions with marked answers.

    DATA is a benchmark with documents, all of which is learnt from, or the published TimeQA files: of these the pages
    of the test part are never seen. The temporal reader sets its threshold by cross-validation, and says how many
    questions it then answers rightly, with 95 % intervals; --json prints that as lines.
    """
    kind = _trainable(reader)
    options = {"start": start, "epochs": epochs, "adviser": adviser, "marker": marker, "opinion": opinion}
    given = {name: value for name, value in (options | {"with_questions": with_questions}).items() if value is not None}
    for name in given:
        if name not in kind.trained_with:
            takers = trainable_readers(name)
            whose = f"the {', '.join(takers)} {'reader' if len(takers) == 1 else 'readers'}"
            raise UserError(f"{_option(name)} works only with {whose}. Omit it for {reader}.")
    if with_questions and not opinion:
        raise UserError(f"--with-questions {with_questions} needs a model to ask. Add --with MODEL.")
    target = folder or Path("trained") / reader
    rows = kind.train(read_questions(data)[:limit], target, seed=seed, on_message=talk, **given)
    if as_json:
        for row in rows:
            write_json(dict(row))
    talk(f"{target} is trained. Next: asof run BENCHMARK {reader}:{target}")


def _trainable(reader: str) -> type[TrainableReader]:
    """Look up the class of a reader that declares how it is trained."""
    if reader in registry.readers.names():
        with registry.readers.naming_extras(reader):
            kind: type[TrainableReader] = registry.readers.get(reader)
        if hasattr(kind, "trained_with"):
            return kind
    known = trainable_readers()
    raise UserError(f"{reader!r} is not trained here.{did_you_mean(reader, known)} Trainable: {', '.join(known)}.")


def _option(name: str) -> str:
    """Return an option of ``train`` as the user writes it."""
    return next(one.opts[0] for one in train.params if one.name == name)


@command.command("teach")
@click.argument("data", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--to", "folder", type=click.Path(path_type=Path), required=True, help="The folder of the network.")
@click.option("--start", default="minilm", show_default=True, help="The encoder to start from: a folder or a name.")
@click.option("--windows", type=click.IntRange(min=1), default=4880, show_default=True, help="How many it learns from.")
@click.option("--seed", type=int, default=0, show_default=True, help="The random seed.")
def teach(data: Path, folder: Path, start: str, windows: int, seed: int) -> None:
    """Teach an encoder to mark answers, by general questions about texts.

    DATA is a folder with files of QuAC (Quac-train.jsonl.gz) and SQuAD (squad2_train.json.gz). It needs torch; a
    training that was stopped is resumed by the same command. Next: asof readers train temporal TimeQA --marker FOLDER.
    """
    from asof.reading.marking.course import teach_general

    teach_general(data, folder, start=start, windows=windows, seed=seed, on_message=talk)
    talk(f"{folder} marks answers. Next: asof readers train temporal TimeQA --marker {folder}")


@command.command("consistency")
@click.argument("benchmark", type=click.Path(path_type=Path, exists=True))
@click.argument("reader")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The random seed of the times that are asked about."
)
@click.option("--limit", type=click.IntRange(min=1), help="At most this many easy questions.")
@json_option
def measure_consistency(benchmark: Path, reader: str, seed: int, limit: int | None, as_json: bool) -> None:
    """Measure consistency: move the time of each easy question within its range; does the answer stay the same?

    Easy questions name the range of a fact ("from 1990 to 1995"); months and spans are drawn from inside it.
    """
    items = [item for item in read_questions(benchmark) if item.mode != "hard"][:limit]
    opened = open_reader(reader)
    lost: list[str] = []
    with progress_bar("reading", unit="documents") as progress:

        def read(asked: Sequence[ReadingItem]) -> list[str | None]:
            pairs = [(item.question, item.document) for item in asked]
            found = read_all(
                opened,
                pairs,
                on_progress=progress,
                on_odd_page=lambda question, error: lost.append(f"{question!r} ({type(error).__name__}: {error})"),
            )
            return [None if answer is None else answer.text for answer in found]

        found = consistency(items, read, seed=seed)
    if lost:
        count = "1 question" if len(lost) == 1 else f"{len(lost):,} questions"
        talk(f"{count} could not be read, and their ranges are left out. The first: {lost[0]}")
    if not found.constant.n and lost:
        raise UserError(f"{reader} could read no question of {benchmark} about a range. Try a reader of another kind.")
    if not found.constant.n:
        raise UserError(
            f"{benchmark} has no question about a range of three months or more, such as 'from 1990 to 1995'."
        )
    named = {
        "one answer": found.constant,
        "one answer, if any": found.constant_if_answered,
        "one answer, where the range itself is right": found.constant_if_right,
        "right each time": found.right,
    }
    rows = [{"metric": name, **one.figures(), "ranges": one.n, "histories": one.facts} for name, one in named.items()]
    show(rows, columns=["metric", "value", "low", "high", "ranges", "histories"], as_json=as_json)
