"""What happens to names when they enter a sentence: "the United Kingdom", "du Havre", "d'Italie"."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from asof.wording.french import french_article, french_contractions

_SLOT = re.compile(r"\{(subject|object)\}")

# English names that want "the" inside a sentence: states and groups named by a common noun.
_WANTS_THE = re.compile(
    r"^(?:(?:United|Soviet|Papal|Netherlands|Philippines|Maldives|Comoros|Seychelles)\b"
    r"|(?:\w+ )*(?:Kingdom|Republic|Empire|Duchy|Principality|Sultanate|Emirate)s? of\b"
    r"|(?:\w+ )*(?:Commonwealth|Union|League|Federation) of\b)"
    r"|\b(?:Empire|Union|Republic|Kingdom|States|Islands|Emirates|Federation|Confederation|Pact|Communities|Caliphate)$"
)


@dataclass(frozen=True)
class Grammar:
    """The small words of a language around names and dates."""

    from_to: str
    since: str
    from_start: str
    until: str
    at_blank: str
    with_article: Callable[[str], str]
    contract: Callable[[str], str]

    def fill(self, sentence: str, names: Mapping[str, str], *, opening: bool = True) -> str:
        """Put names into the slots of a sentence.

        Args:
            opening: Whether the text stands at the beginning of a sentence, so that a first "the" gets its capital.
        """

        def put(match: re.Match[str]) -> str:
            name = self.with_article(names[match[1]])
            return name[0].upper() + name[1:] if opening and match.start() == 0 and name != names[match[1]] else name

        return self.contract(_SLOT.sub(put, sentence))


def _english_article(name: str) -> str:
    """Add "the" where a name wants it.

    >>> _english_article("United Kingdom"), _english_article("Italy"), _english_article("The Gambia")
    ('the United Kingdom', 'Italy', 'The Gambia')
    """
    if name.startswith("The "):
        return name
    return f"the {name}" if _WANTS_THE.search(name) else name


def as_it_is(text: str) -> str:
    """Leave a text alone: a language that joins no words."""
    return text


GRAMMARS: Mapping[str, Grammar] = {
    "en": Grammar(
        from_to="from {start} to {end}",
        since="since {start}",
        from_start="from {start}",
        until="until {end}",
        at_blank="in {date}",
        with_article=_english_article,
        contract=as_it_is,
    ),
    "fr": Grammar(
        from_to="de {start} à {end}",
        since="depuis {start}",
        from_start="à partir de {start}",
        until="jusqu'en {end}",
        at_blank="en {date}",
        with_article=french_article,
        contract=french_contractions,
    ),
}
