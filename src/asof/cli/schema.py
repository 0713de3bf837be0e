"""``asof schema``: what the rows of results look like, as JSON Schema."""

import json
from typing import Any

import click

from asof.cli.options import json_option
from asof.cli.output import show
from asof.facts import Entity
from asof.facts.change_row import ChangeRow, VersionChangeRow
from asof.facts.problem_row import ProblemRow
from asof.facts.relation_row import RelationRow
from asof.facts.row import FactRow
from asof.json_schema import json_schema
from asof.reading.facts.answer_row import AnswerRow

# Kind and version of each. Whoever changes a key raises the version; a test holds the keys of each version.
_ROWS: dict[str, tuple[type, int, str]] = {
    "fact": (FactRow, 1, "facts, timeline; in answers; explorer, tools, Python"),
    "answer": (AnswerRow, 1, "ask; explorer, tools, Python"),
    "change": (ChangeRow, 1, "diff between periods; explorer, tools"),
    "version-change": (VersionChangeRow, 1, "diff between two versions of a base"),
    "problem": (ProblemRow, 2, "check; explorer, tools, Python"),
    "relation": (RelationRow, 1, "relations; Python"),
    "entity": (Entity, 1, "candidates for an ambiguous name"),
}


def schema(name: str) -> dict[str, Any]:
    """Return a schema by its name."""
    kind, version, _ = _ROWS[name]
    return json_schema(kind, name, version)


@click.command("schema")
@click.argument("name", type=click.Choice(list(_ROWS)), required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """Print the JSON Schema of a result, or list the schemas.

    The same rows come from --json, the explorer, the tools of asof mcp and Python. A schema has a version, which
    increases when a key changes.
    """
    if name:
        click.echo(json.dumps(schema(name), indent=None if as_json else 2, ensure_ascii=False))
        return
    rows = [
        {"schema": name, "version": version, "rows of": said, "id": schema(name)["$id"]}
        for name, (_, version, said) in _ROWS.items()
    ]
    show(rows, columns=["schema", "version", "rows of"], as_json=as_json)
