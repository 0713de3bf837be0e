"""``asof read``: an answer from a document, with the sentence and the time that speak for it."""

import sys
from dataclasses import asdict
from pathlib import Path

import click

from asof.cli.options import json_option
from asof.cli.output import talk, write_json
from asof.errors import UserError
from asof.reading.answers import Answer, open_reader
from asof.reading.documents import Document
from asof.reading.times.asked import asked_time
from asof.timeline import parse_date

_EXAMPLES = """\b
Examples:
  asof read page.txt --question "Who managed the club in March 2011?" --reader temporal:reader
  cat page.txt | asof read - --title "FC Example" --question "Which stadium did they use from 1990 to 1995?"
"""


@click.command("read", epilog=_EXAMPLES)
@click.argument("document", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--question", "-q", "questions", multiple=True, required=True, help="The question; may be repeated.")
@click.option(
    "--reader", default="temporal:reader", show_default=True, help="KIND:FOLDER or KIND:MODEL, see 'asof list readers'."
)
@click.option("--title", help="The subject of the document (default: the name of the file).")
@json_option
def command(document: Path, questions: tuple[str, ...], reader: str, title: str | None, as_json: bool) -> None:
    """Answer a question about a time from a document.

    The answer comes first, then the evidence: the sentence, the time expression it depends on, and what that means for
    the time that was asked about. If the document does not tell, the output says so.
    """
    page = _page(document, title)
    for question in questions:
        _check(question)
    answers = open_reader(reader).read_many(list(questions), page)
    for question, answer in zip(questions, answers, strict=True):
        if as_json:
            write_json({"question": question, **asdict(answer)})
        else:
            _show(question, answer)


def _page(document: Path, title: str | None) -> Document:
    try:
        text = sys.stdin.read() if str(document) == "-" else document.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{document} could not be read: {error}. Give a file of plain text in UTF-8.") from error
    page = Document.from_text(text, title=title or ("" if str(document) == "-" else document.stem.replace("_", " ")))
    if not page.paragraphs:
        raise UserError(f"{document} has no text to read. Give a document with at least one sentence.")
    return page


def _check(question: str) -> None:
    if not question.strip():
        raise UserError('The question is empty. Ask something: --question "Who managed the club in 2011?"')
    for word in question.replace("?", " ").split():
        if word.count("-") == 2 and word.replace("-", "").isdigit():
            parse_date(word)  # says what is wrong with 2022-06-31
    if not asked_time(question).known:
        talk(f"{question!r} names no time; the answer may be one of several. Add one: in 2011, from May 2005 to 2009.")


def _show(question: str, answer: Answer) -> None:
    click.echo(answer.text or "The document does not answer this question.")
    sure = "" if answer.probability is None else f" (probability {answer.probability:.2f})"
    talk(f"  {question}{sure}")
    for index, evidence in enumerate(answer.evidence):
        mark = "→" if index == 0 and answer.text else " "
        time = f"{evidence.interval}, {evidence.verdict}" if evidence.interval else evidence.verdict
        sure = "" if evidence.probability is None else f" ({evidence.probability:.2f})"
        talk(f"{mark} {evidence.candidate}{sure}: {time}")
        where = f"{evidence.section}: " if evidence.section else ""
        talk(f"    {where}{evidence.sentence}")
