"""The question for a fact in all its wordings; for a relation that has none, plain ones are made of its label."""

from __future__ import annotations

from asof.facts import Fact
from asof.wording import Wording

_PLAIN = {
    "en": (
        "{subject}, {label}: who or what?",
        "which answer is right for {label} of {subject}?",
        "what stood under {label} for {subject}?",
    ),
    "fr": (
        "{subject}, {label} : qui ou quoi ?",
        "quelle réponse est juste pour {label} de {subject} ?",
        "que trouvait-on sous {label} pour {subject} ?",
    ),
}


def questions_for(fact: Fact, say: Wording) -> tuple[str, ...]:
    """Return the question for the object of a fact in every wording, as it follows a date.

    >>> from asof.timeline import Interval
    >>> fact = Fact(subject="acme", relation="ledBy", object="ann", interval=Interval.parse("2001", "2005"),
    ...     subject_label="Acme", relation_label="led by")
    >>> questions_for(fact, Wording())[0]
    'Acme, led by: who or what?'
    """
    subject = fact.subject_label or fact.subject
    if say.can_say(fact.relation) and say.template(fact.relation).questions:
        names = {"subject": subject, "object": fact.object_label or fact.object}
        return tuple(say.grammar.fill(question, names) for question in say.template(fact.relation).questions)
    label = fact.relation_label or fact.relation
    return tuple(text.format(subject=subject, label=label) for text in _PLAIN.get(say.language, _PLAIN["en"]))
