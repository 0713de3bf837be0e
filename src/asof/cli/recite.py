"""``asof recite``: fill the blank of a statement by what a model was taught."""

import math
from pathlib import Path

import click

from asof.api.any_model import needs_torch
from asof.benchmarks import BLANK
from asof.cli.options import json_option
from asof.cli.output import show, talk
from asof.errors import UserError

_EXAMPLES = """\b
Examples:
  asof recite taught "Angela Merkel held the position of _X_ from 2005 to 2021."
  asof recite taught "Lionel Messi played for FC Barcelona from _X_ to 2021." --top 3 --json
"""


@click.command("recite", epilog=_EXAMPLES)
@click.argument("folder", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("statements", metavar="STATEMENT...", nargs=-1, required=True)
@click.option("--top", type=click.IntRange(min=1), default=5, show_default=True, help="The number of answers.")
@json_option
def command(folder: Path, statements: tuple[str, ...], top: int, as_json: bool) -> None:
    """Fill the blank (_X_) of statements, likeliest answer first.

    The model knows the statements that 'asof train memorize' taught it, in the words in which they were taught. 'given'
    marks the answers that it would give: those that are nearly as likely as the best one.
    """
    for statement in statements:
        if statement.count(BLANK) != 1:
            raise UserError(
                f"{statement!r} has {statement.count(BLANK)} blanks. Write {BLANK} once, where the answer stands."
            )
    needs_torch()
    from asof.memorize.answering import answers_to
    from asof.memorize.folder import open_memorized

    trained = open_memorized(folder)
    rows = []
    for statement, said in zip(statements, answers_to(trained, statements, top=top), strict=True):
        strangers = trained.tokenizer.strangers(statement)
        if strangers:
            talk(f"{folder} was not taught: {', '.join(dict.fromkeys(strangers))}.")
        if not as_json:
            talk(f"{statement} About {said.expected} {'answer' if said.expected == 1 else 'answers'}.")
        for answer in said.answers:
            rows.append(
                {
                    **({"statement": statement} if as_json or len(statements) > 1 else {}),
                    "answer": answer.name,
                    "id": answer.id,
                    "probability": float(f"{math.exp(answer.logprob):.4g}"),
                    "given": answer.given,
                    **({"expected": said.expected} if as_json else {}),
                }
            )
    show(rows, columns=[*(["statement"] if len(statements) > 1 else []), "answer", "id", "probability", "given"],
         as_json=as_json)  # fmt: skip
