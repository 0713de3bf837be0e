"""Pages from a dump in the true export schema, with all that dumps have, and from text files."""

from __future__ import annotations

import bz2
import gzip
from html import escape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UserError
from asof.pages import Page, open_pages, read_pages
from asof.pages.wikitext import page_of_wikitext

pytest.importorskip("mwparserfromhell", reason="mwparserfromhell is not installed: pip install 'asof[pages]'")

HEAD = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">\n<siteinfo>'
    '<sitename>Wikipedia</sitename><dbname>enwiki</dbname><namespaces><namespace key="0" case="first-letter" />'
    '<namespace key="1" case="first-letter">Talk</namespace></namespaces></siteinfo>\n'
)
LEBRON = """{{Infobox basketball biography|name=LeBron|team1=[[Nowhere]]}}
'''LeBron James''' (born 1984)<ref name="a">[[X]]</ref> plays for the [[Los Angeles Lakers|Lakers]]&nbsp;&amp; won.
He is {{nowrap|very tall}}. __NOTOC__

A second paragraph <!-- hidden --> with [http://example.org a site]. [[File:James.jpg|thumb|A [[caption]]]]
== Clubs ==
* [[Cleveland Cavaliers]] (2003–2010)
* [[miami Heat#History|Heat]] (2010–2014)
Back to Ohio.
{| class="wikitable"
! Year !! Team
|-
| 2003 || [[Cleveland Cavaliers|Cavs]]
{|
| inner || [[Akron, Ohio]]
|}
|-
| 2010<br />2011 || ''Heat''
|}
=== Broken ===
[[an open link and {{an open template | <b>bold
<script>alert(1)</script> [[Category:People]] [[fr:LeBron James]]
"""


def page(title: str, text: str, *, ns: int = 0, redirect: str | None = None, older: str | None = None) -> str:
    to = f'<redirect title="{escape(redirect)}" />' if redirect else ""
    revisions = "".join(
        f"<revision><id>1</id><timestamp>2024-01-01T00:00:00Z</timestamp><model>wikitext</model>"
        f'<text bytes="1" xml:space="preserve">{escape(content)}</text></revision>'
        for content in (older, text)
        if content is not None
    )
    return f"<page><title>{escape(title)}</title><ns>{ns}</ns><id>7</id>{to}{revisions}</page>\n"


def dump() -> str:
    return (
        HEAD
        + page("LBJ", "#REDIRECT [[LeBron James]]", redirect="LeBron James")
        + page("Talk:LeBron James", "Chatter", ns=1)
        + page("LeBron James", LEBRON, older="An old version.")
        + page("Empty", "")
        + page("AT&T <corp>", "'''AT&T''' is a company. 5 < 6 &lt;b&gt; &#8211; &bogus;")
        + "</mediawiki>\n"
    )


def written(folder: Path, text: str, ending: str = ".xml") -> Path:
    path = folder / f"pages-articles{ending}"
    pack = {".xml": bytes, ".xml.bz2": bz2.compress, ".xml.gz": gzip.compress}[ending]
    path.write_bytes(pack(text.encode()))
    return path


@pytest.mark.parametrize("ending", [".xml", ".xml.bz2", ".xml.gz"])
def test_articles_of_a_dump(tmp_path: Path, ending: str) -> None:
    found = {page.title: page for page in read_pages(written(tmp_path, dump(), ending))}
    assert list(found) == ["LeBron James", "AT&T <corp>"]
    lebron = found["LeBron James"]
    assert list(zip(lebron.headings, lebron.paragraphs, strict=True)) == [
        ("", "LeBron James (born 1984) plays for the Lakers & won. He is very tall."),
        ("", "A second paragraph with a site."),
        ("Clubs", "Cleveland Cavaliers (2003–2010)"),
        ("Clubs", "Heat (2010–2014)"),
        ("Clubs", "Back to Ohio."),
        ("Clubs", "Year | Team"),
        ("Clubs", "2003 | Cavs"),
        ("Clubs", "2010 2011 | Heat"),
        ("Clubs", "inner | Akron, Ohio"),
        ("Broken", "[[an open link and {{an open template | <b>bold"),
    ]
    linked = {(lebron.paragraphs[link.paragraph][link.start : link.end], link.target) for link in lebron.links}
    assert linked == {
        ("Lakers", "Los Angeles Lakers"), ("Cleveland Cavaliers", "Cleveland Cavaliers"), ("Heat", "Miami Heat"),
        ("Cavs", "Cleveland Cavaliers"), ("Akron, Ohio", "Akron, Ohio"),
    }  # fmt: skip
    assert found["AT&T <corp>"].paragraphs == ("AT&T is a company. 5 < 6 <b> – &bogus;",)


def test_only_wanted_pages_are_read(tmp_path: Path) -> None:
    assert [page.title for page in read_pages(written(tmp_path, dump()), {"AT&T <corp>"})] == ["AT&T <corp>"]


def test_a_dump_that_was_cut_gives_the_pages_before(tmp_path: Path) -> None:
    whole = dump()
    reader = open_pages(written(tmp_path, whole[: whole.index("AT&amp;T") + 4]))
    assert [page.title for page in reader.pages({"LeBron James", "AT&T <corp>"})] == ["LeBron James"]
    assert "is cut or broken" in reader.problems[0]
    packed = bz2.compress(whole.encode() * 1 + b" " * 400_000)
    (tmp_path / "cut.xml.bz2").write_bytes(packed[:100])
    with pytest.raises(UserError, match="is not a Wikipedia dump"):
        list(read_pages(tmp_path / "cut.xml.bz2"))


def test_what_is_no_dump_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<html><p>hello</p></html>", encoding="utf-8")
    with pytest.raises(UserError, match="begins with <html>"):
        list(read_pages(tmp_path / "a.xml"))
    (tmp_path / "b.pdf").write_text("x", encoding="utf-8")
    with pytest.raises(UserError, match="does not hold pages"):
        open_pages(tmp_path / "b.pdf")
    with pytest.raises(UserError, match="does not exist"):
        open_pages(tmp_path / "nowhere.xml")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="has no text file"):
        list(read_pages(tmp_path / "empty"))


def test_text_files(tmp_path: Path) -> None:
    (tmp_path / "AC%2FDC.txt").write_text(
        "# Members\n[[Bon Scott]] sang until 1980.\n\nNothing else.\n", encoding="utf-8"
    )
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\xff")
    reader = open_pages(tmp_path)
    (found,) = reader.pages({"AC/DC", "bad"})
    assert (found.title, found.paragraphs) == ("AC/DC", ("Bon Scott sang until 1980.", "Nothing else."))
    assert found.headings == ("Members", "Members") and found.links[0].target == "Bon Scott"
    assert f"Could not read {tmp_path / 'bad.txt'}" in reader.problems[0]


@given(st.text(alphabet="ab \n'[]{}|=*#:<>/!-&;refT", max_size=120))
def test_any_markup_gives_a_page_with_links_in_place(text: str) -> None:
    found = page_of_wikitext("t", text)
    if isinstance(found, Page):
        assert len(found.paragraphs) == len(found.headings)
        for paragraph in found.paragraphs:
            assert paragraph == " ".join(paragraph.split()) != ""
        for link in found.links:
            assert 0 <= link.start < link.end <= len(found.paragraphs[link.paragraph])


def test_hostile_nesting_ends() -> None:
    for text in ("{{" * 3000, "[[" * 3000, "<b>" * 3000 + "x", "{|\n|" * 200 + "x", "[[a|" * 100 + "x" + "]]" * 100):
        page_of_wikitext("t", text)
