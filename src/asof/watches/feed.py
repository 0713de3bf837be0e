"""An Atom feed: an entry for each release that was asked, and for each bound that is broken."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from xml.etree import ElementTree

from asof.watches.status import WatchStatus

_ATOM = "http://www.w3.org/2005/Atom"


def feed(status: WatchStatus) -> str:
    """Write the feed, the newest entries first; nothing in it changes unless a result does."""
    entries = sorted(_entries(status), reverse=True)
    root = ElementTree.Element("feed", xmlns=_ATOM)
    updated = entries[0][0] if entries else str(status.plan.today)
    _add(root, "title", status.watch.title)
    _add(root, "id", _urn(status.watch.title))
    _add(root, "updated", f"{updated}T00:00:00Z")
    ElementTree.SubElement(ElementTree.SubElement(root, "author"), "name").text = "asof watch"
    for day, title, text in entries:
        entry = ElementTree.SubElement(root, "entry")
        _add(entry, "title", title)
        _add(entry, "id", _urn(f"{status.watch.title} {day} {title}"))
        _add(entry, "updated", f"{day}T00:00:00Z")
        ElementTree.SubElement(entry, "link", href="index.html")
        _add(entry, "summary", text)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _entries(status: WatchStatus) -> Iterator[tuple[str, str, str]]:
    """Give the day, the title and the text of each entry."""
    for track in status.tracks:
        for outcome in track.outcomes:
            cutoff = outcome.told_cutoff
            told = [f"knowledge cutoff {cutoff.text} ({cutoff.span})"] if cutoff.text else []
            told += [f"{name} {result}" for name, result in outcome.results.items()]
            title = f"{outcome.title} on {track.benchmark} ({track.probe})"
            yield outcome.kept.record.done or "", title, "; ".join(told)
    days = {outcome.title: outcome.kept.record.done or "" for track in status.tracks for outcome in track.outcomes}
    for one in status.broken:
        yield days.get(one.title, str(status.plan.today)), f"Broken: {one.title}, {one.bound}", one.told


def _add(parent: ElementTree.Element, name: str, text: str) -> None:
    ElementTree.SubElement(parent, name).text = text


def _urn(text: str) -> str:
    return f"urn:sha256:{hashlib.sha256(text.encode()).hexdigest()}"
