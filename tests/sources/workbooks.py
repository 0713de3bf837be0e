"""Writes a small .xlsx as Excel does: texts, numbers, days (numbers with the format of a day), several sheets."""

import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from xml.sax.saxutils import escape

Cell = str | float | date | None
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml."
_DAY_0 = date(1899, 12, 30)
_STAMP = (2026, 1, 1, 0, 0, 0)


def write_workbook(path: Path, sheets: Mapping[str, Sequence[Sequence[Cell]]], *, merged: Sequence[str] = ()) -> None:
    """Write sheets of rows; '=A1' is a formula without a value, '#REF!' an error.

    Args:
        merged: Cells of each sheet that are merged, as in A2:A4.
    """
    numbers = range(1, len(sheets) + 1)
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}styles+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_TYPE}worksheet+xml"/>' for n in numbers
        )
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_OFFICE}"><sheets>'
        + "".join(
            f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"/>'
            for n, name in zip(numbers, sheets, strict=True)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}">'
        + "".join(
            f'<Relationship Id="rId{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
        )
        + f'<Relationship Id="rId0" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f"<styleSheet {_MAIN}>"
        '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    }
    for n, rows in zip(numbers, sheets.values(), strict=True):
        parts[f"xl/worksheets/sheet{n}.xml"] = _sheet(rows, merged)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _STAMP), '<?xml version="1.0" encoding="UTF-8"?>' + text)


def _sheet(rows: Sequence[Sequence[Cell]], merged: Sequence[str]) -> str:
    lines = []
    for number, row in enumerate(rows, start=1):
        cells = "".join(_cell(f"{chr(65 + place)}{number}", value) for place, value in enumerate(row))
        lines.append(f'<row r="{number}">{cells}</row>')
    ranges = "".join(f'<mergeCell ref="{cells}"/>' for cells in merged)
    joined = f'<mergeCells count="{len(merged)}">{ranges}</mergeCells>' if merged else ""
    return f"<worksheet {_MAIN}><sheetData>{''.join(lines)}</sheetData>{joined}</worksheet>"


def _cell(name: str, value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, date):
        return f'<c r="{name}" s="1"><v>{(value - _DAY_0).days}</v></c>'
    if isinstance(value, float | int):
        return f'<c r="{name}"><v>{value}</v></c>'
    if value.startswith("="):
        return f'<c r="{name}"><f>{escape(value[1:])}</f></c>'
    if value.startswith("#"):
        return f'<c r="{name}" t="e"><v>{escape(value)}</v></c>'
    return f'<c r="{name}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
