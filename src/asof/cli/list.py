"""``asof list``: what there is."""

import click

from asof import registry
from asof.cli.options import base_option, json_option, limit_option, open_base
from asof.cli.output import show
from asof.timeline.words import LANGUAGES

_LISTS = {
    "sources": "the kinds of source that asof mine can read",
    "recipes": "the fact selections of papers, for asof select",
    "engines": "the engines that select and compare facts",
    "benchmarks": "the benchmarks that asof build can make",
    "models": "the kinds of model that asof run can evaluate",
    "probes": "the ways in which asof run asks a model",
    "metrics": "the metrics that asof score computes",
    "objectives": "what asof teach can aim at",
    "scorers": "the completion models that asof train can train",
    "readers": "the readers that answer from a document",
    "export": "the formats in which asof export writes a benchmark",
    "sets": "the training sets that asof export makes of the facts of a run or a benchmark",
    "relations": "the relations of a base, with their numbers of facts",
    "languages": "the languages of dates and sentences",
}


@click.command("list")
@click.argument("kind", type=click.Choice(list(_LISTS)), required=False)
@limit_option
@base_option
@json_option
def command(kind: str | None, limit: int | None, base: str, as_json: bool) -> None:
    """List parts by kind, or the relations of a base."""
    if kind is None:
        rows = [{"list": name, "what": text} for name, text in _LISTS.items()]
    elif kind == "languages":
        rows = [{"language": name} for name in LANGUAGES]
    elif kind == "relations":
        rows = open_base(base).sql(_RELATIONS).to_pylist()
    else:
        parts: registry.Registry = getattr(registry, kind)
        rows = [{kind.removesuffix("s"): name, "what": parts.summary(name)} for name in parts.names()]
    columns = _RELATION_COLUMNS if kind == "relations" else list(rows[0])
    show(rows[:limit], columns=columns, as_json=as_json)


_RELATION_COLUMNS = ["id", "label", "facts", "subjects", "objects", "one_at_a_time"]
_RELATIONS = """
    SELECT r.id, r.label, count(*) AS facts, count(DISTINCT subject) AS subjects, count(DISTINCT object) AS objects,
        CASE WHEN one_at_a_time THEN 'yes' WHEN NOT one_at_a_time THEN 'no' END AS one_at_a_time, r.aliases
    FROM facts JOIN relations r ON r.id = relation GROUP BY ALL ORDER BY facts DESC, r.id
"""
