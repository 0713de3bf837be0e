"""French sentences with French names: articles, elision, contraction, and verbs of plural names."""

import pytest

from asof.facts import Fact
from asof.sources.almanac.french import french_labels
from asof.timeline import Interval
from asof.wording import Wording
from asof.wording.french import french_article

SAY = Wording(language="fr")


def fact(relation: str, subject: str, object: str) -> Fact:
    interval = Interval.parse("1995", "1998")
    return Fact(
        subject="s", relation=relation, object="o", interval=interval, subject_label=subject, object_label=object
    )


@pytest.mark.parametrize(
    ("country", "sentence"),
    [
        ("Italie", "Anna Rossi dirigeait le gouvernement de l'Italie."),
        ("France", "Anna Rossi dirigeait le gouvernement de la France."),
        ("Japon", "Anna Rossi dirigeait le gouvernement du Japon."),
        ("États-Unis", "Anna Rossi dirigeait le gouvernement des États-Unis."),
        ("Israël", "Anna Rossi dirigeait le gouvernement d'Israël."),
        ("Honduras", "Anna Rossi dirigeait le gouvernement du Honduras."),
        ("Haïti", "Anna Rossi dirigeait le gouvernement d'Haïti."),
        ("Empire ottoman", "Anna Rossi dirigeait le gouvernement de l'Empire ottoman."),
        ("Yougoslavie", "Anna Rossi dirigeait le gouvernement de la Yougoslavie."),
        ("Le Havre", "Anna Rossi dirigeait le gouvernement du Havre."),
        ("Utopie", "Anna Rossi dirigeait le gouvernement d'Utopie."),  # a name that nobody has an article for
    ],
)
def test_de_and_a_name(country: str, sentence: str) -> None:
    assert SAY.statement(fact("P6", country, "Anna Rossi"), scope=False) == sentence


@pytest.mark.parametrize(
    ("country", "sentence", "question"),
    [
        ("Italie", "L'Italie avait pour capitale Rome.", "quel lieu servait de capitale à l'Italie ?"),
        ("Maroc", "Le Maroc avait pour capitale Rome.", "quel lieu servait de capitale au Maroc ?"),
        ("Pays-Bas", "Les Pays-Bas avaient pour capitale Rome.", "quel lieu servait de capitale aux Pays-Bas ?"),
        ("Cuba", "Cuba avait pour capitale Rome.", "quel lieu servait de capitale à Cuba ?"),
    ],
)
def test_names_at_the_beginning_and_behind_a(country: str, sentence: str, question: str) -> None:
    asked = fact("P36", country, "Rome")
    assert SAY.statement(asked, scope=False) == sentence
    assert question in {SAY.question(asked, seed=seed) for seed in range(60)}


def test_verbs_agree_with_plural_names_on_both_sides() -> None:
    currency = fact("P38", "États-Unis", "dollar")
    assert SAY.statement(currency, tense="present", scope=False) == "Les États-Unis ont pour monnaie dollar."
    assert SAY.started(currency).startswith("Les États-Unis ont adopté pour monnaie dollar")
    asked = {SAY.question(currency, seed=seed) for seed in range(60)}
    assert "quelle monnaie utilisaient les États-Unis ?" in asked
    citizen = fact("P27", "Anna Rossi", "Pays-Bas")
    assert "Anna Rossi avait" in SAY.statement(citizen, scope=False)  # the object changes no verb


def test_no_sign_that_nobody_sees_stays_in_a_sentence() -> None:
    for relation in ("P6", "P36", "P17", "P463", "P38"):
        asked = fact(relation, "États-Unis", "Philippines")
        texts = [SAY.statement(asked), SAY.started(asked), SAY.question(asked)]
        texts += [SAY.cloze(asked, blank=blank) for blank in ("subject", "object", "start")]  # type: ignore[arg-type]
        assert all(text.isprintable() for text in texts), texts


def test_every_country_of_the_almanac_that_wants_an_article_has_one() -> None:
    """Names of one capital word, but for those that go without: islands and cities that are states."""
    labels = french_labels()
    without = {name for name in ("Italie", "Japon", "Brésil", "Tchécoslovaquie") if french_article(name) == name}
    assert not without
    assert {french_article(labels[name]) for name in ("Germany", "Soviet Union", "Papal States")} == {
        "l'Allemagne",
        "l'Union soviétique",
        "les États pontificaux\u2063",
    }
