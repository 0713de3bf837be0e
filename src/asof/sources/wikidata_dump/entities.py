"""Entities decoded as a whole: properties, and items that are not written in the usual way."""

from enum import Enum

import msgspec

from asof.sources.wikidata_dump.items import CutItem
from asof.sources.wikidata_dump.wanted import MiningSettings

MOST_DIGITS = 15  # in the number of an item


class LineKind(Enum):
    """What a line holds, as far as its first bytes tell; the value is what it is counted as."""

    BRACKET = "brackets"
    LEXEME = "lexemes"
    REDIRECT = "redirects"
    ENTITY = "entities"


def kind_of(raw: bytes) -> LineKind:
    """Tell what a line holds."""
    if raw in (b"[", b"]", b""):
        return LineKind.BRACKET
    if raw.startswith(b'{"type":"lexeme"') and raw.endswith(b"}"):
        return LineKind.LEXEME
    return LineKind.REDIRECT if raw.startswith(b'{"entity":') and raw.endswith(b"}") else LineKind.ENTITY


class _Text(msgspec.Struct):
    value: str


class _Site(msgspec.Struct):
    title: str = ""


_Nothing = list[msgspec.Raw]  # PHP writes an empty map as an empty list


class EntityRecord(msgspec.Struct):
    """The parts of an entity but for its statements."""

    id: str = ""
    type: str = "item"
    redirect: str = ""
    labels: dict[str, _Text] | _Nothing = msgspec.field(default_factory=list)
    descriptions: dict[str, _Text] | _Nothing = msgspec.field(default_factory=list)
    aliases: dict[str, list[_Text]] | _Nothing = msgspec.field(default_factory=list)
    sitelinks: dict[str, _Site] | _Nothing = msgspec.field(default_factory=list)
    modified: str = ""
    lastrevid: int = 0

    @property
    def kind(self) -> LineKind:
        """What it is, as ``kind_of`` tells it of a line in the usual order."""
        if self.redirect and not self.id:
            return LineKind.REDIRECT
        return LineKind.LEXEME if self.type == "lexeme" else LineKind.ENTITY

    @property
    def is_item(self) -> bool:
        """Whether it is an item, with a number as items have it."""
        number = self.id[1:]
        return self.type == "item" and self.id.startswith("Q") and number.isdecimal() and len(number) <= MOST_DIGITS


class EntityReader:
    """Decodes whole lines."""

    def __init__(self, wanted: MiningSettings) -> None:
        self._wanted = wanted
        self._decoder = msgspec.json.Decoder(EntityRecord)

    def decode(self, raw: bytes) -> EntityRecord:
        """Decode a line; raises msgspec.DecodeError if it is no entity."""
        return self._decoder.decode(raw)

    def item(self, entity: EntityRecord) -> CutItem:
        """Return what there is of an item, as bytes of JSON like those that are cut out of a line."""
        labels, aliases = self._labels(entity), self._aliases(entity)
        descriptions = _texts(entity.descriptions, self._wanted.languages)
        sites = entity.sitelinks if isinstance(entity.sitelinks, dict) else {}
        site = sites.get(self._wanted.titles_of)
        return CutItem(
            labels=b"\n".join(_json(label) for label in labels) if any(labels) else None,
            description=_json(descriptions[0]) if descriptions else None,
            aliases=b"\n".join(msgspec.json.encode(texts) for texts in aliases) if aliases else None,
            sitelinks=len(sites),
            title=_json(site.title) if site else None,
        )

    def names(self, entity: EntityRecord) -> dict[str, object]:
        """Return label and aliases of a property."""
        labels = [label for label in self._labels(entity) if label]
        others = [*labels[1:], *(text.value for texts in self._aliases(entity) for text in texts)]
        return {"label": labels[0] if labels else entity.id, "aliases": list(dict.fromkeys(others))}

    def _labels(self, entity: EntityRecord) -> list[str]:
        """Return the first label; where several languages are wanted, all of them, an empty one where there is none."""
        if len(self._wanted.languages) == 1:
            return _texts(entity.labels, self._wanted.name_languages)[:1]
        known = {} if isinstance(entity.labels, list) else entity.labels
        return [known[language].value if language in known else "" for language in self._wanted.name_languages]

    def _aliases(self, entity: EntityRecord) -> list[list[_Text]]:
        if isinstance(entity.aliases, list):
            return []
        return [texts for language in self._wanted.name_languages if (texts := entity.aliases.get(language))]


def _texts(texts: dict[str, _Text] | _Nothing, languages: tuple[str, ...]) -> list[str]:
    if isinstance(texts, list):
        return []
    return [texts[language].value for language in languages if language in texts]


def _json(text: str) -> bytes:
    return bytes(msgspec.json.encode(text)[1:-1])
