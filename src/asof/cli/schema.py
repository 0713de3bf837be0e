"""``asof schema``: what the rows of results look like, as JSON Schema."""

import json
from typing import Any

import click

from asof.cli.options import json_option, open_base
from asof.cli.output import show
from asof.completion.prediction_row import PredictionRow
from asof.facts import Entity
from asof.facts.change_row import ChangeRow, VersionChangeRow
from asof.facts.problem_row import ProblemRow
from asof.facts.relation_row import RelationRow
from asof.facts.row import FactRow
from asof.json_schema import json_schema
from asof.reading.ask import query_schema
from asof.reading.ask.answer_row import AnswerRow
from asof.reading.ask.query_schema import VERSION as QUERY_VERSION
from asof.reading.verify.claim_row import ClaimRow, VerificationRow
from asof.watches.knowledge_cutoff import VERSION as CUTOFF_VERSION
from asof.watches.knowledge_cutoff import KnowledgeCutoffs

# Kind and version of each. Whoever changes a key raises the version; a test holds the keys of each version.
_ROWS: dict[str, tuple[type, int, str]] = {
    "fact": (FactRow, 2, "facts, timeline; in answers; explorer, tools, Python"),
    "answer": (AnswerRow, 3, "ask, query; explorer, tools, Python"),
    "change": (ChangeRow, 1, "diff between periods; explorer, tools"),
    "version-change": (VersionChangeRow, 1, "diff between two versions of a base"),
    "problem": (ProblemRow, 2, "check; explorer, tools, Python"),
    "relation": (RelationRow, 1, "relations; Python"),
    "entity": (Entity, 1, "candidates for an ambiguous name"),
    "claim": (ClaimRow, 1, "verify; explorer, tools, Python"),
    "verification": (VerificationRow, 1, "verify: a text with its claims"),
    "prediction": (PredictionRow, 1, "predict; Python"),
    "knowledge-cutoff": (KnowledgeCutoffs, CUTOFF_VERSION, "watch page: knowledge_cutoff.json"),
}
_QUERY = "query"  # no row, but what asof query takes


def schema(name: str) -> dict[str, Any]:
    """Return a schema by its name."""
    if name == _QUERY:
        return query_schema()
    kind, version, _ = _ROWS[name]
    return json_schema(kind, name, version)


@click.command("schema")
@click.argument("name", type=click.Choice([*_ROWS, _QUERY]), required=False)
@click.option("--base", metavar="BASE", help="Of a query: with the relations of this base as the only ones.")
@json_option
def command(name: str | None, base: str | None, as_json: bool) -> None:
    """Print the JSON Schema of a result or of a query, or list them.

    The same rows come from --json, the explorer, the tools of asof mcp and Python. A schema has a version, which
    increases when a key changes.
    """
    if base is not None and name != _QUERY:
        raise click.UsageError("--base goes with a query alone: asof schema query --base BASE.")
    if name:
        made = query_schema(open_base(base)) if base is not None else schema(name)
        click.echo(json.dumps(made, indent=None if as_json else 2, ensure_ascii=False))
        return
    about = [(name, version, said) for name, (_, version, said) in _ROWS.items()]
    about.append((_QUERY, QUERY_VERSION, "what query takes, in every interface; in answers"))
    rows = [
        {"schema": name, "version": version, "rows of": said, "id": schema(name)["$id"]}
        for name, version, said in about
    ]
    show(rows, columns=["schema", "version", "rows of"], as_json=as_json)
