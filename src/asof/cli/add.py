"""``asof add``: new facts into a trained model, without training it again."""

from pathlib import Path
from typing import Any

import click

from asof.api.any_model import needs_torch
from asof.api.base import open_base
from asof.api.own_facts import base_of_file
from asof.cli.options import json_option
from asof.cli.output import counted, talk, write_json
from asof.cli.table_options import column_pairs, table_options
from asof.cli.trained_models import model_argument, open_model
from asof.errors import UserError
from asof.facts import FactStore
from asof.facts.mirror import is_base

_EXAMPLES = """\b
Examples:
  asof add trained/staff-evidence hired_this_month.csv
  asof add trained/staff-evidence staff.csv --columns subject=Name,object=Team --relation "works for"
  asof add trained/my-base-timeplex my-base
  asof add trained/staff-evidence --undo
"""
_NAMED = 5


@click.command("add", epilog=_EXAMPLES)
@model_argument
@click.argument("facts", metavar="[FACTS]", required=False)
@table_options
@click.option(
    "--relation",
    multiple=True,
    metavar="NAME",
    help="Table: the relation of all rows, or of each --columns. Repeatable.",
)
@click.option("--undo", is_flag=True, help="Forget all facts that were added since the training.")
@json_option
def command(
    folder: Path,
    facts: str | None,
    columns: tuple[str, ...],
    separator: str | None,
    encoding: str | None,
    sheet: str | None,
    date_format: str | None,
    keep_spellings: bool,
    relation: tuple[str, ...],
    undo: bool,
    as_json: bool,
) -> None:
    """Add new facts to a trained model at once.

    FACTS is a table (CSV, TSV, JSON lines, Parquet) or a base; of these the facts are taken that the model lacks, all
    of them or none. What the model counts takes them into account immediately; embeddings of new entities start from
    those that fill the same roles, all others stay. Train again when there are many: 'asof show MODEL' tells.
    """
    if undo:
        if facts:
            raise UserError(f"--undo forgets what was added; it takes no facts. Leave out {facts}.")
        needs_torch()
        from asof.completion.trained.adding import undo_added

        count = undo_added(folder)
        if as_json:
            write_json({"model": str(folder), "forgotten": count})
            return
        talk(f"{folder} is as it was trained: {counted(count, 'added fact')} forgotten.")
        return
    if facts is None:
        raise UserError("Which facts? Give a table or a base: asof add MODEL FACTS. To forget what was added: --undo")
    trained = open_model(folder)
    from asof.completion.trained.adding import add_facts

    of_table: dict[str, Any] = {"columns": column_pairs(columns) if columns else None, "relation": relation}
    of_table |= {"separator": separator, "encoding": encoding, "sheet": sheet, "date_format": date_format}
    of_table |= {"keep_spellings": keep_spellings}
    found = add_facts(trained, _facts_of(facts, {name: value for name, value in of_table.items() if value}))
    if as_json:
        write_json(
            {"model": str(folder), "added": found.facts, "known": found.known, "new_entities": list(found.entities)}
        )
        return
    known = f"; {counted(found.known, 'fact')} it had already" if found.known else ""
    talk(f"{folder}: {counted(found.facts, 'fact')} added{known}.")
    if found.entities:
        more = f" and {len(found.entities) - _NAMED:,} more" if len(found.entities) > _NAMED else ""
        named = ", ".join(found.entities[:_NAMED])
        talk(f"{counted(len(found.entities), 'new entity', 'new entities')}: {named}{more}.")
    if found.facts:
        talk(f"Undo it with: asof add {folder} --undo")


def _facts_of(location: str, of_table: dict[str, Any]) -> FactStore:
    path = Path(location)
    if path.exists() and not is_base(location):
        return base_of_file(path, in_shell=True, **of_table)
    if of_table and is_base(location):
        named = ", ".join(f"--{name.replace('_', '-')}" for name in of_table)
        raise UserError(f"{location} is a base, which is taken as it is; {named} is for tables.")
    return open_base(location, **of_table).store
