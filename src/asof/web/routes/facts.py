"""Search, entities, relations and questions."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from asof.errors import UserError
from asof.reading.ask import query_schema
from asof.reading.ask.answer_row import AnswerRow
from asof.reading.ask.query_json import LONGEST_QUERY
from asof.reading.verify.claim_row import VerificationRow
from asof.timeline import Time
from asof.timeline.calendar import calendar_day
from asof.web.ask import LONGEST as LONGEST_QUESTION
from asof.web.ask import ask_page, query_row_of
from asof.web.axis import Axis
from asof.web.entity import EntityPage, NotThereError, entity_page
from asof.web.home import HomePage, home_page
from asof.web.relation import RelationPage, relation_page
from asof.web.rendering import json_reply, wants_json
from asof.web.routes.parameters import Format, Id, Name, On, PageNumber, explorer_of, page_of, reply
from asof.web.rows import LONGEST_DATE, neighbours, read_date
from asof.web.suggestions import Suggestion
from asof.web.verify import LONGEST as LONGEST_TEXT
from asof.web.verify import short_enough, verify_page

_MOST_SUGGESTIONS = 20

router = APIRouter()


@router.get("/", summary="Search", **page_of(HomePage))
async def home(
    request: Request, q: Annotated[str, Query(max_length=2000, description="A name.")] = "", format: Format = None
) -> Response:
    """What the base holds; with ``q`` the entities and relations of that name."""
    explorer = explorer_of(request)
    found = await explorer.desks.run(lambda desk: home_page(desk.store, explorer.base, explorer.suggestions, q))
    return reply(request, "home.html", found)


@router.get("/suggest", summary="Names that begin with a text", response_model=list[Suggestion])
async def suggest(
    request: Request,
    q: Annotated[str, Query(max_length=2000, description="The beginning of a name, or of a word in it.")] = "",
    limit: Annotated[int, Query(ge=1, le=_MOST_SUGGESTIONS, description="The largest number of entities.")] = 8,
) -> Response:
    """Completion of names and aliases, best known first. JSON only."""
    return json_reply(explorer_of(request).suggestions.of(q, limit=limit))


@router.get("/entity/{id:path}", summary="The timeline of an entity", **page_of(EntityPage))
async def entity(
    request: Request, id: Id, on: On = None,
    live: Annotated[bool, Query(description="Ask the live Wikibase, also where the base has it.")] = False,
    format: Format = None,
) -> Response:  # fmt: skip
    """Facts of an entity and facts that name it; with ``on``, what each is worth on that date.

    What the base has not is looked up at the live Wikibase, where the explorer was started with one.
    """
    explorer = explorer_of(request)
    date, wrong = _date_of(request, on)
    typed, on = on, on if date is not None else None
    try:
        if live:
            raise NotThereError
        found = await explorer.desks.run(lambda desk: entity_page(desk, id, on, explorer.entities))
    except NotThereError:
        if explorer.live is None and not live:
            raise
        found = await explorer.looked_up(id, on)
    axis = Axis.around((row.bounds for row in found.rows), explorer.known_by, also=date)
    near, year = (neighbours(date), calendar_day(date.first)[0]) if date else (None, None)
    return reply(request, "entity.html", found, axis=axis, date=date, near=near, year=year, wrong=wrong, typed=typed)


@router.get("/relation/{id:path}", summary="The facts of a relation", **page_of(RelationPage))
async def relation(
    request: Request, id: Id, subject: Name = "", object: Name = "", on: On = None, page: PageNumber = 1,
    format: Format = None,
) -> Response:  # fmt: skip
    """Facts of a relation, those of the best known subjects first; by subject, object and date."""
    explorer = explorer_of(request)
    date, wrong = _date_of(request, on)
    typed, on = on, on if date is not None else None
    found = await explorer.desks.run(
        lambda desk: relation_page(desk.store, id, subject=subject, object=object, on=on, page=page)
    )
    axis = Axis.around((row.bounds for row in found.facts), explorer.known_by, also=date)
    return reply(request, "relation.html", found, axis=axis, date=date, wrong=wrong, typed=typed)


def _date_of(request: Request, on: str | None) -> tuple[Time | None, str]:
    """Read the date of a page; people still get the page without one, and what is wrong with the one they typed."""
    try:
        return read_date(on), ""
    except UserError as error:
        if wants_json(request):
            raise
        return None, str(error)


@router.get("/ask", summary="A question in plain words", **page_of(AnswerRow))
async def ask(
    request: Request,
    q: Annotated[str, Query(max_length=2000, description=f"The question, up to {LONGEST_QUESTION} characters.")] = "",
    entity: Annotated[list[str], Query(max_length=10, description="The id that an ambiguous name stands for.")] = [],  # noqa: B006
    today: Annotated[str | None, Query(max_length=LONGEST_DATE, description="The day that 'now' means.")] = None,
    format: Format = None,
) -> Response:
    """The answer with the facts that say so, or why there is none."""
    if not q.strip() and not wants_json(request):
        return reply(request, "ask.html", None)
    explorer = explorer_of(request)
    found = await explorer.desks.run(lambda desk: ask_page(desk.reader, q, entities=entity, today=today))
    row = found.answer
    supports = [fact for answer in row.answers for fact in answer.facts] + row.nearest
    axis = Axis.around((fact.bounds for fact in supports), explorer.known_by, also=next(iter(found.times), None))
    return reply(request, "ask.html", row, axis=axis, times=found.times, again=found.again, today=today)


@router.get("/verify", summary="A text checked against the facts", **page_of(VerificationRow))
async def verify(
    request: Request,
    text: Annotated[str, Query(max_length=4000, description=f"The text, up to {LONGEST_TEXT:,} characters.")] = "",
    on: Annotated[str | None, Query(max_length=LONGEST_DATE, description="What 'now' means in the text.")] = None,
    format: Format = None,
) -> Response:
    """The claims of a text with their verdicts and the facts they rest on, and what was left alone."""
    if not text.strip() and not wants_json(request):
        return reply(request, "verify.html", None, text="", on=on)
    given = short_enough(text)
    found = await explorer_of(request).desks.run(lambda desk: verify_page(desk, given, on))
    return reply(request, "verify.html", found, text=text, on=on)


class _Text(msgspec.Struct):
    text: str
    on: str | None = None


@router.post("/verify", summary="A longer text checked against the facts", response_model=VerificationRow)
async def verify_body(request: Request) -> Response:
    """The same for a text that no address can hold: ``{"text": ..., "on": "2024-05"}``. JSON only; nothing is kept."""
    try:
        body = msgspec.json.decode(await request.body(), type=_Text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f'This is not a text to verify: {error}. Send {{"text": ..., "on": ...}}.') from error
    return json_reply(await explorer_of(request).desks.run(lambda desk: verify_page(desk, body.text, body.on)))


@router.get("/query", summary="A query as JSON", response_model=AnswerRow)
async def query(
    request: Request,
    q: Annotated[str, Query(max_length=LONGEST_QUERY, description="The query, as /query/schema describes it.")],
    entity: Annotated[list[str], Query(max_length=10, description="Whom a name means that fits several.")] = [],  # noqa: B006
    today: Annotated[str | None, Query(max_length=LONGEST_DATE, description="What 'today' means.")] = None,
) -> Response:
    """The answer with the facts that say so, or why there is none. JSON only."""
    desks = explorer_of(request).desks
    return json_reply(await desks.run(lambda desk: query_row_of(desk.store, q, entities=entity, today=today)))


@router.get("/query/schema", summary="What a query may say", response_model=dict[str, Any])
async def schema(request: Request) -> Response:
    """The JSON Schema of a query to this base, with its relations."""
    return json_reply(await explorer_of(request).desks.run(lambda desk: query_schema(desk.store)))
