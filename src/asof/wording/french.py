"""What French does to names in a sentence: l'Italie, du Japon, des États-Unis, d'Israël; and verbs of plural names."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

# A common noun at the beginning of a name wants its article; people and cities have none.
_FIRST_WORDS = {
    "l'": ("Empire", "Union", "Émirat", "équipe"),
    "la": ("République", "Principauté", "Confédération", "Fédération", "dynastie"),
    "le": ("Royaume", "Califat", "Sultanat", "Duché", "Grand-duché", "Khanat", "Tsarat"),
}
_PLURAL = "\u2063"  # an invisible sign behind a plural name, until the verb beside it agrees
_NAME = rf"les [^{_PLURAL}]*{_PLURAL}"
_CAPITAL = "A-ZÀÂÄÉÈÊËÎÏÔÖÛÜŒÇ"

# "de" and its like before a day, a decade or a century: du 13 février, des années 1990, jusqu'au XIXe siècle.
_DAY_OR_CENTURY = r"(?=\d{1,2}(?:er)? [a-zéû]|[IVX]+er? (?:siècle|millénaire))"
_DATES = [
    (re.compile(pattern), joined)
    for pattern, joined in (
        (rf"\bde {_DAY_OR_CENTURY}", "du "),
        (rf"\bà {_DAY_OR_CENTURY}", "au "),
        (rf"\bdepuis {_DAY_OR_CENTURY}", "depuis le "),
        (rf"\bjusqu'en {_DAY_OR_CENTURY}", "jusqu'au "),
        (r"\bde (?=années )", "des "),
        (r"\bà (?=années )", "aux "),
        (r"\bdepuis (?=années )", "depuis les "),
        (r"\bjusqu'en (?=années )", "jusqu'aux "),
    )
]
_ARTICLES = [
    (re.compile(pattern), joined)
    for pattern, joined in (
        (rf"\bde [Ll]e (?=[{_CAPITAL}])", "du "),
        (rf"\bde [Ll]es (?=[{_CAPITAL}])", "des "),
        (rf"\bà [Ll]e (?=[{_CAPITAL}])", "au "),
        (rf"\bà [Ll]es (?=[{_CAPITAL}])", "aux "),
    )
]
_VERBS = {"a": "ont", "est": "sont", "fait": "font", "appartient": "appartiennent", "reçoit": "reçoivent"}


@cache
def _articles() -> Mapping[str, str]:
    lines = (files("asof.wording.templates") / "fr_articles.tsv").read_text(encoding="utf-8").split("\n")[1:]
    return {name: article for article, name in (line.split("\t") for line in lines if line and line[0] != "#")}


def french_article(name: str) -> str:
    """Add the article that a name wants.

    >>> [french_article(name) for name in ("Italie", "Japon", "Israël", "Empire ottoman", "Rome", "Mario Draghi")]
    ["l'Italie", 'le Japon', 'Israël', "l'Empire ottoman", 'Rome', 'Mario Draghi']
    """
    first = name.split(" ", 1)[0]
    article = _articles().get(name) or next((each for each, words in _FIRST_WORDS.items() if first in words), "")
    if not article:
        return name
    joined = f"{article}{name}" if article == "l'" else f"{article} {name}"
    return joined + _PLURAL if article == "les" else joined


def french_contractions(text: str) -> str:
    """Join "de" and "à" with what follows, and let the verb of a plural name agree with it.

    >>> french_contractions("le maire de Le Havre"), french_contractions("la reine de Angleterre")
    ('le maire du Havre', "la reine d'Angleterre")
    >>> french_contractions("le roi de France"), french_contractions("à le Japon")
    ('le roi de France', 'au Japon')
    >>> french_contractions("de 13 février 2021 à 1er mars 2022"), french_contractions("depuis XIXe siècle")
    ('du 13 février 2021 au 1er mars 2022', 'depuis le XIXe siècle')
    """
    text = re.sub(rf"^(L{_NAME[1:]}) (\w+)", lambda match: f"{match[1]} {_plural(match[2])}", text)
    if text.endswith("?"):  # in which the subject stands behind its verb
        text = re.sub(rf"\b(\w+ait) ({_NAME})", lambda match: f"{_plural(match[1])} {match[2]}", text)
    text = text.replace(_PLURAL, "")
    for plain, joined in _DATES + _ARTICLES:
        text = plain.sub(joined, text)
    return re.sub(r"\bde (?=[AEIOUYÂÀÉÈÊËÎÏÔÛÜŒH][^\W\d_])", "d'", text)


def _plural(verb: str) -> str:
    """Return the plural of a verb in the third person.

    >>> [_plural(verb) for verb in ("a", "avait", "utilise")]
    ['ont', 'avaient', 'utilisent']
    """
    if verb in _VERBS:
        return _VERBS[verb]
    return f"{verb[:-1]}ent" if verb.endswith("ait") else f"{verb}nt" if verb.endswith("e") else verb
