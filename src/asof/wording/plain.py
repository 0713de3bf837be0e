"""Sentences for a relation that nobody has written any for, from its label alone."""

import re

from asof.wording.templates import Template

_PATTERNS = {
    "en": {
        "past": "{subject}, LABEL: {object}",
        "starts": "{subject}, LABEL, beginning: {object}",
        "ends": "{subject}, LABEL, end: {object}",
        "paraphrase": "{object} as LABEL of {subject}",
        "second": "{subject}: LABEL {object}",
        "third": "{subject} (LABEL): {object}",
    },
    "fr": {
        "past": "{subject}, LABEL : {object}",
        "starts": "{subject}, LABEL, début : {object}",
        "ends": "{subject}, LABEL, fin : {object}",
        "paraphrase": "{object} comme LABEL de {subject}",
        "second": "{subject} : LABEL {object}",
        "third": "{subject} (LABEL) : {object}",
    },
}


def plain_template(label: str, language: str = "en") -> Template:
    """Return sentences that are no good style, but say a fact of any relation and read the same for each.

    >>> plain_template("isLocatedIn").past
    '{subject}, is located in: {object}'
    """
    words = _words(label)
    said = {name: text.replace("LABEL", words) for name, text in _PATTERNS[language].items()}
    return Template(
        present=said["past"],
        past=said["past"],
        starts=said["starts"],
        wordings=(said["second"], said["third"]),
        ends=said["ends"],
        paraphrase=said["paraphrase"],
    )


def _words(label: str) -> str:
    """Part a label into words; braces would be taken for slots.

    >>> _words("isLocatedIn"), _words("Make_a_visit"), _words("ISO 3166 {code}"), _words("twinned body")
    ('is located in', 'Make a visit', 'ISO 3166 (code)', 'twinned body')
    """
    if re.fullmatch(r"[a-z]+(?:[A-Z][a-z]*)+", label):
        label = re.sub(r"[A-Z]", lambda match: f" {match[0].lower()}", label)
    return " ".join(label.replace("_", " ").replace("{", "(").replace("}", ")").split())
