"""Problems of a base as a terminal, a pull request and code scanning show them: lines, Markdown, SARIF 2.1.0."""

import json
from collections.abc import Callable, Sequence
from itertools import groupby
from textwrap import wrap
from typing import Any

from rich.console import Console
from rich.text import Text

from asof import __version__
from asof.facts import FactStore
from asof.facts.problem_row import CONTRADICTIONS, EXPLAINED, ProblemRow

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_SHOWN = 10  # of each kind on a terminal, where nobody asked for one
_IN_MARKDOWN = 100  # of each kind; a comment on a pull request has room for so many


def on_terminal(rows: Sequence[ProblemRow], base: str, *, whole: bool) -> None:
    """Show problems kind by kind, a line or two each."""
    console = Console(highlight=False)
    for kind, group in groupby(rows, key=lambda row: row.problem):
        same = list(group)
        console.print(Text(kind, style="bold").append(f": {EXPLAINED[kind]} ({len(same):,})", style="default"))
        shown = same if whole else same[:_SHOWN]
        for row in shown:
            note = f" [fine: {row.fine}]" if row.fine else ""
            begun = f"  {row.id}  "
            lines = wrap(row.in_words + note, max(20, console.width - len(begun)), break_on_hyphens=False)
            console.print(Text(begun, style="dim").append(f"\n{' ' * len(begun)}".join(lines), style="default"))
        if len(shown) < len(same):
            console.print(f"  ... and {len(same) - len(shown):,} more: asof check {base} --problem {kind}")


def markdown(rows: Sequence[ProblemRow], store: FactStore) -> str:
    """Write problems as Markdown, for a comment on a pull request."""
    lines = [f"### asof check: {store.manifest.name}", ""]
    lines += [f"{store.manifest.rows('facts'):,} facts, no problem found."] if not rows else []
    for kind, group in groupby(rows, key=lambda row: row.problem):
        same = list(group)
        lines += [f"**{kind}**: {EXPLAINED[kind]} ({len(same):,})", "", "| id | what |", "|---|---|"]
        lines += [f"| `{row.id}` | {_cell(row.in_words)}{_fine(row)} |" for row in same[:_IN_MARKDOWN]]
        more = len(same) - _IN_MARKDOWN
        lines += [f"| | ... and {more:,} more |"] if more > 0 else []
        lines.append("")
    return "\n".join(lines).rstrip()


def sarif(rows: Sequence[ProblemRow], store: FactStore) -> str:
    """Write problems as SARIF 2.1.0, which GitHub, GitLab and editors show; what is fine is suppressed."""
    kinds = list(EXPLAINED)
    driver = {
        "name": "asof",
        "version": __version__,
        "rules": [
            {
                "id": kind,
                "shortDescription": {"text": f"{text[0].upper()}{text[1:]}."},
                "defaultConfiguration": {"level": _level(kind)},
            }
            for kind, text in EXPLAINED.items()
        ],
    }
    results = [_result(row, kinds.index(row.problem), store) for row in rows]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=1)


def _result(row: ProblemRow, rule: int, store: FactStore) -> dict[str, Any]:
    """Write one problem. Facts have no lines once they are in a base, so it stands in the file that they come from."""
    source = store.manifest.sources[0] if store.manifest.sources else store.manifest.name
    name = " / ".join(part for part in (row.subject, row.relation, row.object) if part)
    location = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(source)}, "region": {"startLine": 1}},
        "logicalLocations": [{"fullyQualifiedName": name, "kind": "member"}],
    }
    result: dict[str, Any] = {
        "ruleId": row.problem,
        "ruleIndex": rule,
        "level": _level(row.problem),
        "message": {"text": f"{row.in_words} ({EXPLAINED[row.problem]})"},
        "locations": [location],
        "partialFingerprints": {"asofProblemId/v1": row.id},
    }
    if row.fine is not None:
        result["suppressions"] = [{"kind": "external", "justification": row.fine}]
    return result


def _level(kind: str) -> str:
    return "error" if kind in CONTRADICTIONS else "note" if kind in ("adjacent", "gap") else "warning"


def _uri(name: str) -> str:
    from urllib.parse import quote

    return quote(name)


def _cell(text: str) -> str:
    for sign in ("\\", "|", "<", "*", "_", "`", "["):
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")


def _fine(row: ProblemRow) -> str:
    return f" (fine: {_cell(row.fine)})" if row.fine else ""


FORMATS: dict[str, Callable[[Sequence[ProblemRow], FactStore], str]] = {
    "json": lambda rows, store: "",  # a row a line, as everywhere
    "sarif": sarif,
    "markdown": markdown,
}
