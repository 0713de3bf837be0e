"""``asof list``: what there is."""

import click

from asof import registry
from asof.cli.options import base_option, json_option, limit_option, open_base
from asof.cli.output import show
from asof.timeline.words import LANGUAGES

_KINDS = ("sources", "relations", "languages")


@click.command("list")
@click.argument("kind", type=click.Choice(_KINDS), required=False)
@limit_option
@base_option
@json_option
def command(kind: str | None, limit: int | None, base: str, as_json: bool) -> None:
    """List sources, the relations of a base, or languages."""
    if kind is None:
        rows = [{"list": name, "what": text} for name, text in zip(_KINDS, _DESCRIBED, strict=True)]
        show(rows, columns=["list", "what"], as_json=as_json)
    elif kind == "sources":
        names = registry.sources.names()
        rows = [{"source": name, "what": registry.sources.summary(name)} for name in names]
        show(rows[:limit], columns=["source", "what"], as_json=as_json)
    elif kind == "languages":
        show([{"language": name} for name in LANGUAGES][:limit], columns=["language"], as_json=as_json)
    else:
        store = open_base(base)
        found = store.sql(_RELATIONS).to_pylist()[:limit]
        show(found, columns=["id", "label", "facts", "subjects", "objects", "one_at_a_time"], as_json=as_json)


_DESCRIBED = (
    "what asof mine can read",
    "the relations of a base, with their number of facts",
    "for dates and sentences",
)
_RELATIONS = """
    SELECT r.id, r.label, count(*) AS facts, count(DISTINCT subject) AS subjects, count(DISTINCT object) AS objects,
        CASE WHEN one_at_a_time THEN 'yes' WHEN NOT one_at_a_time THEN 'no' END AS one_at_a_time, r.aliases
    FROM facts JOIN relations r ON r.id = relation GROUP BY ALL ORDER BY facts DESC, r.id
"""
