"""The tool ``query``: an assistant that understood a question fills in the query, and the facts answer it."""

# Without postponed annotations: the schema of the tool is made of the relations of the base.
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from asof.agents.tools import MOST, Tools
from asof.reading.ask import flat_schema
from asof.reading.ask.answer_row import AnswerRow

_Tool = Callable[..., AnswerRow]
_Text = Annotated[str, Field(max_length=300)]
_Limit = Annotated[int, Field(ge=1, le=MOST, description="At most so many answers.")]

_HOW_TO = """\
Answer a question from facts by a query that you write: surer than the tool ask where you understand the question well.

A fact is subject, relation, object and the time in which it held: Italy, head of government, Mario Draghi, 2021-02-13 \
to 2022-10-22. Give the relation (the tool relations lists them, with how the base calls them) and one end; the other \
end is what you get. Names may be labels, aliases or ids. Examples:
- who led Italy in 2012: {"ask": "lookup", "relation": "head of government", "subject": "Italy", "when": "2012"}
- what did Mario Draghi lead: {"ask": "lookup", "relation": "head of government", "object": "Mario Draghi"}
- who came right before him: {"ask": "lookup", "relation": "head of government", "subject": "Italy", \
"which": {"pick": "neighbour", "side": "before", "of": "Mario Draghi"}}
- the first of them: "which": {"pick": "ordered", "order": 1}; the one who stayed longest: \
"which": {"pick": "extreme", "most": "longest"}
- was it Berlusconi in 2010: {"ask": "yes-no", "relation": "head of government", "subject": "Italy", \
"object": "Silvio Berlusconi", "when": "2010"}; also "when", "duration" and "count" of the same facts
- who began then: "event": "start"; while others held: "when": {"facts": {"relation": "head of state", \
"subject": "United States", "object": "Barack Obama"}}
The answer has the facts it rests on and how sure each is. Where a name fits several, choose one of the candidates and \
ask again with its id. What the base does not know is not false."""

_QUERY = "What is asked of the base; leave out the keys that the question does not need."


def add_query_tool(
    tool: Callable[..., Callable[[_Tool], _Tool]],
    tools: Tools,
    answered: Callable[[Callable[[], AnswerRow]], AnswerRow],
) -> None:
    """Add the tool, with the relations of the base in its schema."""
    schema = WithJsonSchema(flat_schema(tools.store) | {"description": _QUERY})

    @tool(description=_HOW_TO)
    def query(
        query: Annotated[dict[str, Any], schema],
        today: Annotated[str | None, Field(max_length=300, description="What today means: 2024-05-01.")] = None,
        entities: Annotated[
            list[_Text] | None, Field(description="Ids that settle which of several a name means.")
        ] = None,
        limit: _Limit = 20,
    ) -> AnswerRow:
        return answered(lambda: tools.query(query, today=today, entities=entities or (), limit=limit))
