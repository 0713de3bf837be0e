"""Live look-ups under ``asof mcp`` and ``asof serve``, beside a base that has other things."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from asof.agents.tools import Tools
from asof.errors import UserError
from asof.facts import FactStore
from asof.live import open_live
from asof.places.place import TimedOutError
from asof.web.desks import Desks
from asof.web.explorer import Explorer
from tests.live.wikibase_server import Wiki, wikibase
from tests.web.conftest import served

JSON = {"Accept": "application/json"}


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wiki]:
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "cache"))
    with wikibase() as running:
        yield running


def test_tools_look_up_what_the_base_has_not(wiki: Wiki, tiny: FactStore) -> None:
    tools = Tools(tiny, open_live(wiki.address, pause=0.0, timeout=0.2, tries=1))
    found = tools.as_of("2003", subject="Q11", relation=None, object=None)
    assert [(row.object, row.holds, row.end_precision) for row in found.facts] == [
        ("Harbour Party", "transitional", "ongoing"), ("mayor of Port Anne", "correct", "month"),
    ]  # fmt: skip
    assert found.base.endswith("(live)") and found.known_to and found.notes[0].startswith("Looked up live: 127.0.0.1")
    line = tools.timeline(subject="Old Nora", relation="position held", object=None)
    assert [row.object for row in line.facts] == ["mayor of Port Anne", "prime minister of Kesteria"]
    assert tools.timeline(subject="Q11", relation="P39", object="Q14").total == 1
    here = tiny.sql("SELECT subject FROM facts LIMIT 1")["subject"][0].as_py()
    asked = len(wiki.asked)
    assert tools.timeline(subject=here, relation=None, object=None).base == tiny.manifest.name
    assert len(wiki.asked) == asked  # what the base has is not asked for
    assert tools.search("nora vale").found[0].id == "Q11" and "found at 127.0.0.1" in tools.search("nora vale").notes[0]
    none = tools.as_of("2003", subject="Q17", relation=None, object=None)
    assert none.facts == [] and "has no statement with a date" in none.notes[0]
    wiki.faults = ["late"]
    with pytest.raises(TimedOutError, match="timed out: no answer about Q12"):
        tools.timeline(subject="Q12", relation=None, object=None)
    with pytest.raises(UserError, match="has nothing called 'Q11'"):
        Tools(tiny).timeline(subject="Q11", relation=None, object=None)
    with pytest.raises(UserError, match=r"There is no live Wikibase\. Start with: asof mcp --live"):
        Tools(tiny).look_up_live("Q11", None, relation=None)
    forced = tools.look_up_live("Q11", "2020", relation="position held")
    assert [row.object for row in forced.facts] == ["prime minister of Kesteria"]


@pytest.mark.slow
def test_an_assistant_gets_them_over_the_protocol(wiki: Wiki, tiny: FactStore) -> None:
    words = ["-m", "asof", "mcp", str(tiny.folder), "--live", wiki.address]

    async def session() -> None:
        server = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
        async with Client(stdio_client(server)) as client:
            assert "looked up live at 127.0.0.1" in str(client.instructions)
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools["live"].annotations and tools["live"].annotations.open_world_hint
            result = await client.call_tool("live", {"subject": "Q11", "date": "2003", "relation": "P39"})
            told = result.structured_content
            assert told and told["facts"][0]["object"] == "mayor of Port Anne" and "revision 100" in told["notes"][0]
            missing = await client.call_tool("as_of", {"subject": "Q404", "date": "2003"})
            assert missing.is_error and "has no entity Q404" in str(missing.content)

    anyio.run(session)


@pytest.mark.slow
def test_the_explorer_shows_them(wiki: Wiki, tiny: FactStore) -> None:
    live = open_live(wiki.address, pause=0.0, timeout=0.2, tries=1)
    explorer = Explorer(tiny.folder, desks=Desks(tiny.folder, count=1), live=live)
    with served(explorer) as client:
        page = client.get("/entity/Q11", params={"on": "2003"}, headers=JSON).json()
        assert page["label"] == "Nora Vale" and page["counts"]["correct"] == 1
        assert page["live"].startswith("Looked up live: 127.0.0.1")
        shown = client.get("/entity/Q11").text
        assert "Looked up live: 127.0.0.1" in shown and "mayor of Port Anne" in shown
        here = tiny.sql("SELECT subject FROM facts LIMIT 1")["subject"][0].as_py()
        assert client.get(f"/entity/{here}", headers=JSON).json()["live"] is None
        assert f"Look up at {live.name}" in client.get(f"/entity/{here}").text
        assert client.get(f"/entity/{here}?live=true", headers=JSON).status_code in (400, 404)
        assert client.get("/entity/Old Nora?live=true", headers=JSON).json()["id"] == "Q11"
        assert f"at {live.name}" in client.get("/?q=Nora").text
        assert client.get("/entity/Q17", headers=JSON).status_code == 404
        assert "no entity Q404" in client.get("/entity/Q404", headers=JSON).json()["error"]
        wiki.faults = ["late"]
        late = client.get("/entity/Q12", headers=JSON)
        assert late.status_code == 504 and "timed out: no answer about Q12" in late.json()["error"]
    explorer.live = None
    with served(explorer) as client:
        assert client.get("/entity/Q11", headers=JSON).status_code == 404
        assert "started without --live" in client.get("/entity/Q11?live=true", headers=JSON).json()["error"]
