"""``asof read``: an answer from documents, with the sentence and the time that speak for it, or their timeline."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from asof.cli.options import json_option
from asof.cli.output import talk, write_json
from asof.cli.timelines import show_timeline, write_timeline
from asof.errors import UserError
from asof.reading.answers import Answer, open_reader
from asof.reading.page_files import read_page
from asof.reading.readers.temporal import TemporalReader
from asof.reading.times.asked import asked_time
from asof.timeline import parse_date

_EXAMPLES = """\b
Examples:
  asof read page.txt --question "Who managed the club in March 2011?"
  asof read club.html history.pdf -q "Which stadium did they use from 1990 to 1995?"
  asof read page.txt --timeline --question "Who managed the club?"
  asof read page.txt --timeline --to facts.csv
"""


@click.command("read", epilog=_EXAMPLES)
@click.argument("documents", nargs=-1, required=True, metavar="PAGE...")
@click.option("--question", "-q", "questions", multiple=True, help="The question; may be repeated.")
@click.option(
    "--reader",
    default="temporal",
    show_default=True,
    help="KIND:FOLDER or KIND:MODEL, see 'asof list readers'; the default comes with asof.",
)
@click.option(
    "--with",
    "opinion",
    metavar="MODEL",
    help="A language model that is asked, too; the reader must have learnt what its word is worth.",
)
@click.option("--title", help="The subject of the document (default: what the page says, or the name of its file).")
@click.option("--timeline", is_flag=True, help="List what held when: who, from, until, and the sentence that tells.")
@click.option(
    "--to", "table", type=click.Path(path_type=Path), help="With --timeline: a CSV file, which asof mine takes."
)
@json_option
def command(
    documents: tuple[str, ...],
    questions: tuple[str, ...],
    reader: str,
    opinion: str | None,
    title: str | None,
    timeline: bool,
    table: Path | None,
    as_json: bool,
) -> None:
    """Answer a question about a time from documents.

    A PAGE is a file of plain text, HTML, wikitext or PDF, an address (https://...), or - for what is piped in. The
    answer comes first, then the evidence: the sentence, the time expression it depends on, and what that means for the
    time that was asked about. If the documents do not tell, the output says so. Of several documents the one with the
    likeliest answer is given.

    --with MODEL asks a language model the same, shown the best names and their sentences. Its word tips the scales by
    what the reader has learnt it to be worth (asof readers train temporal DATA --with MODEL).

    --timeline lists what the page says of its subject over time, or what answers a question without a time.
    """
    if title is not None and len(documents) > 1:
        raise UserError(
            f"--title {title!r} names one document, but there are {len(documents)}. Read them one at a time."
        )
    if table is not None and not timeline:
        raise UserError(f"--to {table} is where a timeline goes. Add --timeline.")
    if not questions and not timeline:
        raise UserError(
            'Nothing was asked. Ask something: --question "Who managed the club in 2011?", or add --timeline.'
        )
    for question in questions:
        _check(question, timed=not timeline)
    if opinion and (timeline or reader.partition(":")[0] != "temporal"):
        raise UserError(
            f"--with {opinion} is for answers of a temporal reader. Omit it for {'a timeline' if timeline else reader}."
        )
    opened = open_reader(reader, opinion=opinion) if opinion else open_reader(reader)
    pages = [read_page(location, title=title) for location in documents]
    if timeline:
        if not isinstance(opened, TemporalReader):
            raise UserError(f"{reader} tells no timelines. Omit --reader, or give a temporal reader.")
        found = [
            (place, row)
            for place, page in zip(documents, pages, strict=True)
            for row in opened.timeline(page, questions)
        ]
        if table is not None:
            write_timeline(found, table)
        else:
            show_timeline([row for _, row in found], as_json=as_json)
        return
    read = [opened.read_many(list(questions), page) for page in pages]
    for number, question in enumerate(questions):
        place = _best([answers[number] for answers in read])
        answer, source = read[place][number], documents[place] if len(documents) > 1 else None
        if as_json:
            write_json({"question": question, **asdict(answer), **({"document": source} if source else {})})
        else:
            _show(question, answer, source)


def _best(answers: list[Answer]) -> int:
    """Return the place of the likeliest answer; of the likeliest best guess where no document tells."""
    return max(range(len(answers)), key=lambda place: (bool(answers[place].text), answers[place].probability or 0.0))


def _check(question: str, *, timed: bool) -> None:
    if not question.strip():
        raise UserError('The question is empty. Ask something: --question "Who managed the club in 2011?"')
    for word in question.replace("?", " ").split():
        if word.count("-") == 2 and word.replace("-", "").isdigit():
            parse_date(word)  # says what is wrong with 2022-06-31
    if timed and not asked_time(question).known:
        talk(f"{question!r} names no time; the answer may be one of several. Add one: in 2011, from May 2005 to 2009.")


def _show(question: str, answer: Answer, source: str | None) -> None:
    click.echo(answer.text or f"The document{'s do' if source else ' does'} not answer this question.")
    sure = "" if answer.probability is None else f" (probability {answer.probability:.2f})"
    talk(f"  {question}{sure}" + (f" [{source}]" if source and answer.text else ""))
    for index, evidence in enumerate(answer.evidence):
        mark = "→" if index == 0 and answer.text else " "
        time = f"{evidence.interval}, {evidence.verdict}" if evidence.interval else evidence.verdict
        sure = "" if evidence.probability is None else f" ({evidence.probability:.2f})"
        talk(f"{mark} {evidence.candidate}{sure}: {time}")
        where = f"{evidence.section}: " if evidence.section else ""
        talk(f"    {where}{evidence.sentence}")
