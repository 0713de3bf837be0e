"""Read a page as a person would: its tables by their label, its words without markup."""

from html.parser import HTMLParser


class Reader(HTMLParser):
    """Tables by the label of their region, all text, all tags that were met."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._label = ""
        self._hidden = False
        self._in_cell = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        self._hidden = tag in ("script", "style")
        if found.get("role") == "region":
            self._label = found["aria-label"] or ""
            self.tables[self._label] = []
        elif tag == "tr":
            self.tables[self._label].append([])
        elif tag in ("td", "th"):
            self.tables[self._label][-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.text += data
            if self._in_cell:
                self.tables[self._label][-1][-1] += data
