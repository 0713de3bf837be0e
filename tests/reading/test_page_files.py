"""Pages as people have them: what each kind of file becomes, and that none of them ends the program."""

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.errors import UserError
from asof.reading.documents import Document
from asof.reading.index import DocumentIndex
from asof.reading.page_files import read_page
from asof.reading.page_files.html import document_of_html
from asof.reading.page_files.plain import unbroken


def said(page: Document) -> list[tuple[str, str, bool]]:
    return [(one.section, one.text, one.entry) for one in page.paragraphs]


HTML = """<!DOCTYPE html><html><head><title>FC Example - Someone's site</title><style>p {}</style></head><body>
<nav><a href="/">Home</a><ul><li>Menu</li></ul></nav>
<h1>FC Example</h1><p>The club was founded in <b>1950</b>.<sup class="reference">[1]</sup></p>
<h2>Managers<span class="mw-editsection">[edit]</span></h2><ul><li>Ann Lee (1990&ndash;1995)<li>Bo Ek</ul>
<table><tr><th>Name</th><th>From</th><th>Until</th></tr><tr><td>Cy Dee</td><td>2001</td><td>2005</td></tr></table>
<script>var x = "<p>no</p>";</script><footer>Imprint</footer></body></html>"""


def test_html_keeps_headings_entries_and_rows_and_drops_menus(tmp_path: Path) -> None:
    (tmp_path / "club.html").write_text(HTML, encoding="utf-8")
    page = read_page(str(tmp_path / "club.html"))
    assert page.title == "FC Example"
    assert said(page) == [
        ("FC Example", "The club was founded in 1950.", False),
        ("Managers", "Ann Lee (1990–1995)", True),
        ("Managers", "Bo Ek", True),
        ("Managers", "Name , From , Until", True),
        ("Managers", "Cy Dee , 2001–2005", True),
    ]


def test_html_that_was_never_closed_is_read_all_the_same() -> None:
    page = document_of_html("<p>Ann <b>led <i>it<p>Bo</nav></p><svg><p>no", title=None, named="club")
    assert page.title == "club" and [one.text for one in page.paragraphs] == ["Ann led it", "Bo"]


def test_wikitext_is_told_from_text_and_read(tmp_path: Path) -> None:
    (tmp_path / "FC_Example.txt").write_text(
        "'''FC Example''' is a club in [[Oslo]].{{cite|x}}\n\n== Managers ==\n* [[Ann Lee]] (1990–1995)\n* Bo Ek",
        "utf-8",
    )
    page = read_page(str(tmp_path / "FC_Example.txt"))
    assert page.title == "FC Example"
    assert [(one.section, one.text) for one in page.paragraphs] == [
        ("FC Example", "FC Example is a club in Oslo."),
        ("Managers", "Ann Lee (1990–1995)"),
        ("Managers", "Bo Ek"),
    ]


def test_lines_that_were_broken_at_a_width_are_joined_and_lists_are_not() -> None:
    prose = (
        "The club was founded in a small town near the sea by workers of the\nharbour, who had no other place\nto play."
    )
    assert unbroken(prose) == prose.replace("\n", " ")
    listed = "Managers\n- Ann Lee (1990-1995)\n- Bo Ek (1995-)"
    assert unbroken(listed) == listed
    assert unbroken("It was the inter-\nnational club of the town.") == "It was the international club of the town."


def test_a_cell_of_several_lines_is_a_row_for_each() -> None:
    cells = "<tr><th>Former names</th><td><ul><li>Old Hall (1871–1909)<li>New Hall (1909–1964)</ul></td></tr>"
    both = "<tr><td>Ann Lee<br>Bo Ek</td><td><p>1990–1995</p><p>1995–2001</p></td></tr>"
    page = document_of_html(f"<h1>Hall</h1><table>{cells}{both}</table>", title=None, named="hall")
    assert [one.text for one in page.paragraphs] == [
        "Former names , Old Hall (1871–1909)",
        "Former names , New Hall (1909–1964)",
        "Ann Lee , 1990–1995",
        "Bo Ek , 1995–2001",
    ]
    laid_out = f"<table><tr><td><h2>History</h2><p>{'It was a hall. ' * 30}</p></td><td><p>Menu</p></td></tr></table>"
    page = document_of_html(laid_out, title=None, named="hall")
    assert [(one.section, len(one.text)) for one in page.paragraphs] == [("History", 449), ("History", 4)]


def test_columns_of_plain_text_are_rows(tmp_path: Path) -> None:
    told = "Dr. Ann Lee\n\nExperience\n04/2014 - 08/2019   Statistician, Acme, Oslo\n2009\tPhD, Bergen\n\nNames:\n- Ann"
    (tmp_path / "cv.txt").write_text(told, "utf-8")
    assert said(read_page(str(tmp_path / "cv.txt"))) == [
        ("Experience", "04/2014 - 08/2019 , Statistician, Acme, Oslo", True),
        ("Experience", "2009 , PhD, Bergen", True),
        ("Names", "Ann", True),
    ]


def test_markdown_loses_its_dress_and_keeps_its_title(tmp_path: Path) -> None:
    table = "| Name | Since |\n|---|---|\n| **Ann Lee** | 1990 |"
    told = f"# FC X\n\n{table}\n\n## Grounds\nThe [Arena](http://a.b) was first."
    (tmp_path / "02_club.md").write_text(told, "utf-8")
    page = read_page(str(tmp_path / "02_club.md"))
    assert page.title == "FC X"
    assert said(page) == [
        ("FC X", "Name , Since", True),
        ("FC X", "Ann Lee , 1990", True),
        ("Grounds", "The Arena was first.", False),
    ]


def test_an_item_of_minutes_is_not_one_sentence() -> None:
    page = Document.from_text("Minutes\n3. Elections. Ann Lee was elected chair. Bo Ek was elected treasurer.\n4. End.")
    assert [page.text_of(one) for one in page.sentences] == [
        "Elections.", "Ann Lee was elected chair.", "Bo Ek was elected treasurer.", "End."
    ]  # fmt: skip
    assert page.paragraphs[1].section == "Elections"


def test_a_title_that_stands_over_broken_lines_stays_apart() -> None:
    wide = "The Orient Lighthouse stands on the northern tip of the island\nSarn and was lit in 1847 by its keeper,"
    more = "Since 1870 Bo Ek has been its keeper, an old sailor who\nwas born there."
    text = f"Orient Lighthouse\n{wide}\nwhose name was Ann.\nKeepers\n{more}"
    assert unbroken(text).split("\n") == [
        "Orient Lighthouse",
        wide.replace("\n", " ") + " whose name was Ann.",
        "Keepers",
        more.replace("\n", " "),
    ]


def pdf_of(*lines: str) -> bytes:
    """Write a PDF of one page by hand."""
    words = "\n".join(f"({line}) Tj 0 -14 Td" for line in lines)
    stream = f"BT /F1 12 Tf 72 720 Td\n{words}\nET".encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = io.BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for number, one in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, one))
    start = out.tell()
    out.write(b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % start)
    return out.getvalue()


def test_the_text_of_a_pdf_is_read(tmp_path: Path) -> None:
    (tmp_path / "club.pdf").write_bytes(
        pdf_of("The club was led from the year 1990 until the summer of", "1995 by Ann Lee.")
    )
    page = read_page(str(tmp_path / "club.pdf"))
    assert page.title == "club"
    assert " ".join(one.text for one in page.paragraphs).endswith("until the summer of 1995 by Ann Lee.")


def test_rows_of_a_pdf_stay_rows(tmp_path: Path) -> None:
    rows = [
        "Directors",
        "Ann Lee) Tj 200 0 Td (1911-1940) Tj -200 0 Td (",
        "Bo Ek) Tj 200 0 Td (1945-1969) Tj -200 0 Td (",
    ]
    (tmp_path / "tower.pdf").write_bytes(pdf_of(*rows))
    page = read_page(str(tmp_path / "tower.pdf"))
    assert said(page) == [("Directors", "Ann Lee , 1911-1940", True), ("Directors", "Bo Ek , 1945-1969", True)]


def test_a_pdf_that_cannot_be_laid_out_is_read_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pypdf import PageObject

    def odd(self: PageObject, **asked: str) -> str:
        if asked:
            raise ZeroDivisionError
        return "The club was led by Ann Lee."

    (tmp_path / "club.pdf").write_bytes(pdf_of("x"))
    monkeypatch.setattr(PageObject, "extract_text", odd)
    assert [one.text for one in read_page(str(tmp_path / "club.pdf")).paragraphs] == ["The club was led by Ann Lee."]


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.pdf", b"%PDF-1.4 nothing", "could not be read as PDF"),
        ("a.pdf", pdf_of(), "its pages are pictures"),
        ("a.docx", b"PK\x03\x04\x00\x00word", "zero bytes"),
        ("a.txt", b"\x81\x8d\xff", "Save it as text in UTF-8"),
        ("a.txt", b"", "no text to read"),
        ("a.html", b"<html><script>1</script>", "no text to read"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, data: bytes, told: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UserError, match=told):
        read_page(str(tmp_path / name))


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file"):
        read_page(str(tmp_path / "gone.txt"))
    with pytest.raises(UserError, match="could not be fetched"):
        read_page("http://127.0.0.1:9/page")


def test_older_encodings_are_read(tmp_path: Path) -> None:
    for encoding in ("utf-16", "utf-8-sig", "cp1252"):
        (tmp_path / "page.txt").write_bytes("Zoë led the club in 1990.".encode(encoding))
        assert read_page(str(tmp_path / "page.txt")).paragraphs[0].text == "Zoë led the club in 1990."


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_no_text_ends_the_program(text: str) -> None:
    for page in (document_of_html(text, title=None, named=""), Document.from_text(unbroken(text), title="İ")):
        _ = DocumentIndex(page).attached
