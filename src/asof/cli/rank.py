"""``asof rank``: how good a trained model is."""

from pathlib import Path

import click

from asof.api.any_model import needs_torch
from asof.cli.options import json_option
from asof.cli.output import counted, show, talk, write_json
from asof.cli.rank_scores import RefereeRequest, judged_dataset, rank_scores
from asof.cli.trained_models import PROTOCOLS, open_model, warn_of_valid
from asof.errors import UserError

_FILTERS = ("none", "any-time", "same-interval", "instants")


_EXAMPLES = """\b
Examples:
  asof rank trained/YAGO11k-timeplex-base
  asof rank YAGO11k --questions yago-questions
  asof rank YAGO11k --scores mine.npz --scores theirs.parquet --to ranks.parquet
"""


@click.command("rank", epilog=_EXAMPLES)
@click.argument("folder", metavar="MODEL|DATASET", type=click.Path(path_type=Path))
@click.option("--split", type=click.Choice(["valid", "test"]), default="test", show_default=True)
@click.option(
    "--filter",
    "chosen",
    type=click.Choice([*_FILTERS, "expanded", "all"]),
    default="all",
    show_default=True,
    help="Which other right answers are removed from the ranking.",
)
@click.option(
    "--ties",
    type=click.Choice(["against", "mean", "optimistic", "pessimistic"]),
    help="How ties with the answer count: against it (pessimistic), half, or, with --scores, for it (default: as the "
    "protocol has it).",
)
@click.option(
    "--instants",
    type=click.Choice(["start", "mean"]),
    help="Score a fact at its start or over its interval (default: the protocol's rule).",
)
@click.option(
    "--intervals/--no-intervals",
    "with_intervals",
    default=None,
    help="Also predict intervals (default: if facts of the split last longer than an instant).",
)
@click.option(
    "--scores",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Rank these scores or ranked lists under every protocol: .npy, .npz, .parquet, .csv, .tsv, .jsonl; may be "
    "repeated, and each is tested against the first.",
)
@click.option(
    "--predicted-intervals",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Score these intervals (question, start, end) by aeIOU, IOU, gIOU, gaeIOU and TAC; may be repeated.",
)
@click.option(
    "--entities",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Which entity each column or number of --scores means: a name on each line, or names and numbers.",
)
@click.option("--drop-unknown", is_flag=True, help="Leave out rows of --scores whose candidate is not an entity.")
@click.option(
    "--baselines/--no-baselines",
    default=None,
    help="Rank baselines that count the training facts, too (default: with --scores).",
)
@click.option(
    "--protocol", type=click.Choice(PROTOCOLS), help="How the facts of a dataset are read (default: corrected)."
)
@click.option(
    "--to",
    "ranks_to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the rank of every answer: .parquet or .csv.",
)
@click.option(
    "--results-as",
    type=click.Choice(["pykeen", "libkge", "tkbc"]),
    help="Print the figures of --scores as these programs write theirs, as JSON.",
)
@click.option(
    "--questions",
    "questions_to",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Write the questions of the split, without answers, and the entities in order; rank nothing.",
)
@click.option(
    "--scores-to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the scores of a trained model for all candidates (.npz); rank nothing.",
)
@json_option
def command(
    folder: Path,
    split: str,
    chosen: str,
    ties: str | None,
    instants: str | None,
    with_intervals: bool | None,
    scores: tuple[Path, ...],
    predicted_intervals: tuple[Path, ...],
    entities: Path | None,
    drop_unknown: bool,
    baselines: bool | None,
    protocol: str | None,
    ranks_to: Path | None,
    questions_to: Path | None,
    scores_to: Path | None,
    results_as: str | None,
    as_json: bool,
) -> None:
    """Evaluate link prediction (MRR, hits@k) and intervals: of a trained model, or of anybody's scores.

    Filters: 'none'; 'any-time' takes out what is right at any time; 'same-interval' what is right in exactly the asked
    interval; 'instants' what is right, instant by instant, averaged (Jain et al. 2020, section 3.2). Intervals are
    those of facts with both ends; thresholds are learnt on valid.

    With --scores, other programs' predictions are ranked under every protocol at once, beside counting baselines; the
    forms of files are in the docs (completion). Candidates that a file does not list stand below those that it lists.
    """
    if questions_to:
        from asof.completion.referee.judgement import write_questions

        dataset, _ = judged_dataset(folder, split, protocol)
        write_questions(questions_to, dataset, split)
        talk(
            f"{questions_to} has {counted(len(dataset.split(split)), 'fact')} as questions, and the entities in order."
        )
        talk(f"Next: asof rank {folder} --scores FILE")
        return
    if scores_to:
        needs_torch()
        from asof.completion.trained.exported_scores import write_scores

        write_scores(open_model(folder), split, scores_to)
        talk(f"Next: asof rank {folder} --scores {scores_to}")
        return
    if scores or baselines or predicted_intervals or ranks_to or results_as:
        asked = RefereeRequest(
            folder, split, protocol, scores, entities, drop_unknown, baselines is not False, predicted_intervals,
            chosen, ties, ranks_to, results_as, as_json,
        )  # fmt: skip
        rank_scores(asked)
        return
    if ties == "optimistic" or chosen == "expanded":
        raise UserError(f"{ties if ties == 'optimistic' else chosen} is for --scores and --baselines; add one of them.")
    against = "against" if ties == "pessimistic" else ties
    rank_model(folder, split, chosen, against, instants, with_intervals=with_intervals, as_json=as_json)


def rank_model(
    folder: Path,
    split: str,
    chosen: str,
    ties: str | None,
    instants: str | None,
    *,
    with_intervals: bool | None,
    as_json: bool,
) -> None:
    """Rank a trained model on its own dataset, and predict intervals."""
    trained = open_model(folder)
    warn_of_valid(trained, split)
    from asof.completion.interval_prediction import INTERVAL_METRICS
    from asof.completion.trained.measures import link_results, time_results, why_no_intervals

    filters = _FILTERS if chosen == "all" else (chosen,)
    links = link_results(trained, split, filters, ties=ties, instants=instants)  # type: ignore[arg-type]
    if with_intervals is None:
        facts = trained.dataset.split(split)
        with_intervals = bool((facts.dated & (facts.end > facts.start)).any())
    times = time_results(trained, split) if with_intervals else None
    if as_json:
        for row in links:
            write_json({"measures": "links", **row})
        if times:
            write_json({"measures": "intervals", **times})
        return
    first = links[0]
    talk(
        f"{trained.plan.scorer} on {split} of {trained.dataset.name}: {counted(first['queries'], 'question')} about "
        f"{counted(first['facts'], 'fact')}; protocol {first['protocol']}, ties {first['ties']}, "
        f"instants {first['instants']}."
    )
    columns = ["filter", "mrr", "mrr_low", "mrr_high", "mrr_object", "mrr_subject", "hits@1", "hits@3", "hits@10"]
    show(({name: row[name] for name in columns} for row in links), columns=columns, as_json=False)
    if not with_intervals:
        talk("No intervals: they were not asked for, or every fact with both ends is an instant (--intervals).")
        return
    if times is None:
        talk(f"No intervals: {why_no_intervals(trained)}.")
        return
    click.echo()
    talk(f"Intervals of {counted(times['facts'], 'fact')} with both ends; of the first k, the best counts.")
    rows = [
        {"measure": name, **{f"@{k}": times[f"{name}@{k}"] for k in (1, 10) if f"{name}@{k}" in times}}
        for name in INTERVAL_METRICS
    ]
    show(rows, columns=list(rows[0]), as_json=False)
