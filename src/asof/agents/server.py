"""The server that assistants speak to: the tools of ``tools.py`` over the Model Context Protocol.

Descriptions and results are made for a reader who knows nothing of asof. Nothing is written anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from threading import Lock, Timer
from typing import Annotated, TypeVar

import duckdb
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from asof import __version__
from asof.agents.query_tool import add_query_tool
from asof.agents.results import Changes, Facts, Problems, Things
from asof.agents.tools import MOST, Tools
from asof.errors import UserError
from asof.facts import FactStore
from asof.facts.problem_row import Problem
from asof.live import LiveEntities
from asof.reading.ask.answer_row import AnswerRow
from asof.reading.verify.claim_row import VerificationRow

Found = TypeVar("Found")
_SECONDS = 20.0  # that one look-up may take

Name = Annotated[str, Field(max_length=300, description="A name, an alias or an id.")]
When = Annotated[
    str, Field(max_length=300, description="A date or a period: 2021, 2021-03, 2021-03-20, 2021-Q1, 1990s, '44 BC'.")
]
Limit = Annotated[int, Field(ge=1, le=MOST, description="The largest number of rows.")]
Question = Annotated[str, Field(max_length=1000, description="One question in English, with its time in words.")]

Draft = Annotated[str, Field(max_length=20_000, description="A sentence, an answer or a passage, in English.")]

_INSTRUCTIONS = """\
A temporal knowledge graph: facts with their valid time, from the base {base!r}{known_by}. \
Look a fact up for the date that matters instead of recalling it. \
Every result has its evidence: dates with their precision, the source, and whether it surely holds. \
"transitional" means that it holds only during a part of the date, or only possibly. \
What the base does not contain is not necessarily false."""
_LIVE = """ \
Subjects that the base does not have are looked up live at {server}; the notes of a result say so, and how old it is. \
An error that says "timed out" means that nothing is known, not that there is no such fact."""


def make_server(store: FactStore, live: LiveEntities | None = None) -> MCPServer[None]:
    """Make the server of a base, and of a live Wikibase beside it."""
    known_by = f", with data current to {store.known_by}" if store.known_by else ""
    server: MCPServer[None] = MCPServer(
        "asof",
        title="asof: facts as of a date",
        version=__version__,
        instructions=_INSTRUCTIONS.format(base=store.manifest.name, known_by=known_by)
        + (_LIVE.format(server=live.name) if live else ""),
        log_level="WARNING",
    )
    _add_tools(server, Tools(store, live))
    return server


def _add_tools(server: MCPServer[None], tools: Tools) -> None:
    only_reads = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    asks_elsewhere = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=True)
    tool = partial(server.tool, annotations=only_reads, structured_output=True)
    turn = Lock()  # one at a time: a reader keeps what it has looked up, and a query that lasts is stopped alone

    def told(work: Callable[[], Found]) -> Found:
        return _told(tools.store, turn, work)

    @tool()
    def as_of(
        date: When, subject: Name | None = None, relation: Name | None = None, object: Name | None = None,
        limit: Limit = 50,
    ) -> Facts:  # fmt: skip
        """Look up which facts hold on a date: subject Italy, relation head of government, date 2021-03.

        Give a subject, an object ("who held this?") or both; the relation narrows it down.
        """
        return told(lambda: tools.as_of(date, subject=subject, relation=relation, object=object, limit=limit))

    @tool()
    def timeline(
        subject: Name | None = None, relation: Name | None = None, object: Name | None = None, limit: Limit = 100
    ) -> Facts:
        """List the facts of a subject (or of an object) in the order of time, with gaps and overlaps.

        For who came before or after whom, since when, until when, and how often.
        """
        return told(lambda: tools.timeline(subject=subject, relation=relation, object=object, limit=limit))

    if tools.live is not None:

        @server.tool(annotations=asks_elsewhere, structured_output=True)
        def live(subject: Name, date: When | None = None, relation: Name | None = None, limit: Limit = 50) -> Facts:
            """Look up a subject at the live Wikibase, also where the base has it but is too old for the date.

            With a date: what holds then; without one: its timeline. Only facts of the subject, not those that name it.
            """
            return told(lambda: tools.look_up_live(subject, date, relation=relation, limit=limit))

    @tool()
    def changes(
        earlier: When, later: When, subject: Name | None = None, relation: Name | None = None, limit: Limit = 50
    ) -> Changes:
        """List what is new, updated or deleted from one date or period to a later one."""
        return told(lambda: tools.changes(earlier, later, subject=subject, relation=relation, limit=limit))

    @tool()
    def ask(
        question: Question, today: When | None = None, entities: list[Name] | None = None, limit: Limit = 20
    ) -> AnswerRow:
        """Answer a question in English from facts: "Who was the prime minister of Italy before Mario Draghi?".

        Nothing is guessed. today is the date that "now" means; entities are ids that resolve ambiguous names.
        """
        return told(lambda: tools.ask(question, today=today, entities=entities or (), limit=limit))

    add_query_tool(tool, tools, told)

    @tool()
    def check(
        problem: Problem | None = None, subject: Name | None = None, relation: Name | None = None, limit: Limit = 50
    ) -> Problems:
        """Find facts that contradict each other and those that are suspicious: two holders at a time, unlikely lengths.

        All kinds but adjacent facts and gaps, or one kind.
        """
        return told(lambda: tools.check(problem, subject=subject, relation=relation, limit=limit))

    @tool()
    def verify(text: Draft, on: When | None = None) -> VerificationRow:
        """Check a text against the facts before you give it to somebody: your own answer, or a passage that you found.

        Each claim that the base can judge comes with a verdict (holds, outdated, not yet, contradicted, unknown) and
        the facts it rests on; what cannot be read surely is left alone. on is the date that "now" means in the text.
        """
        return told(lambda: tools.verify(text, on=on))

    @tool()
    def search(name: Name, limit: Limit = 10) -> Things:
        """Find the ids of people, places, offices and relations by their name or its beginning."""
        return told(lambda: tools.search(name, limit=limit))

    @tool()
    def relations() -> Things:
        """List the relations that the base has facts of, such as head of government or member of sports team."""
        return told(tools.relations)


def _told(store: FactStore, turn: Lock, work: Callable[[], Found]) -> Found:
    """Do some work when it is its turn; errors that the caller can mend go to the assistant, in its own terms."""
    with turn:
        too_long = Timer(_SECONDS, store.interrupt)
        too_long.start()
        try:
            return work()
        except duckdb.InterruptException as error:
            raise ToolError(
                f"The query took more than {_SECONDS:g} seconds. Name a subject, a relation or both."
            ) from error
        except UserError as error:
            raise ToolError(_for_assistants(str(error))) from error
        finally:
            too_long.cancel()


def _for_assistants(message: str) -> str:
    """Name tools where a message names commands.

    >>> _for_assistants("almanac has no relation 'x'. See: asof relations")
    "almanac has no relation 'x'. The tool relations lists them."
    """
    said = re.sub(r"See: asof relations[^\n]*", "The tool relations lists them.", message)
    return said.replace("Give the id of the one you mean.", "Give its id instead of the name.")
