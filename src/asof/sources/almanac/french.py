"""French names of the almanac: those of ``labels/fr.tsv``, and people whose name is surely the same in French.

A name is the same where it was never translated and never transliterated: of people since 1850 whose description names
a country that writes with Latin letters. Rulers, popes and nobles have French names of their own, and are left out.
"""

import re
from collections.abc import Mapping
from importlib.resources import files

_SINCE = 1850  # before, names were translated: Christophe Colomb, Michel-Ange
_NATIONS = (
    "American|English|British|Italian|German|French|Spanish|Brazilian|Dutch|Canadian|Scottish|Argentine|Australian|"
    "Austrian|Portuguese|Irish|Swedish|Welsh|Swiss|Danish|Norwegian|Belgian|Mexican|Chilean|Colombian|Polish|Czech|"
    "Hungarian|Uruguayan|Peruvian|Venezuelan|Finnish|Jamaican|Cuban|US"
)
_COUNTRIES = (
    "United States|United Kingdom|Italy|Germany|France|Spain|Brazil|Netherlands|Canada|Scotland|England|Argentina|"
    "Australia|Austria|Portugal|Ireland|Sweden|Wales|Switzerland|Denmark|Norway|Belgium|Mexico|Chile|Colombia|Poland|"
    "Czech Republic|Czechoslovakia|Hungary|Uruguay|Peru|Venezuela|Finland|Jamaica|Cuba|Ecuador|Bolivia|Paraguay|"
    "Costa Rica|Panama|Honduras|Guatemala|Nicaragua|El Salvador|Dominican Republic|New Zealand|Luxembourg|Iceland|"
    "Malta|Slovenia|Slovakia|Croatia|Romania|Estonia|Latvia|Lithuania|Senegal|Ivory Coast|Cameroon|Gabon|Ghana|Nigeria|"
    "Kenya|Tanzania|Zambia|Angola|Mozambique|Philippines|South Africa|Namibia|Botswana|Haiti|Mali|Niger|Togo|Benin|"
    "Burkina Faso|Guinea|West Germany|East Germany"
)
_TIED = re.compile(rf"^(?:{_NATIONS})\b|\b(?:of|in) (?:the )?(?:{_COUNTRIES})\b")
_TITLES = r"Pope|King|Queen|Prince|Princess|Emperor|Empress|Saint|Lord|Lady|Sir|Duke|Duchess|Count|Mother|Archduke|Earl"
_RULER = re.compile(rf"^(?:{_TITLES})\b|\b[IVX]{{2,}}\b| [IVX]$|\b(?:of|the)\b|,|\d|^\S+$")
_RULING = re.compile(r"\b(?:king|queen|emperor|empress|pope|prince|princess|duke|duchess|sultan|tsar|monarch)\b")


def french_labels() -> dict[str, str]:
    """Return the French names that are written down, by the names of the almanac."""
    text = (files("asof.sources.almanac") / "labels" / "fr.tsv").read_text(encoding="utf-8")
    lines = (line for line in text.split("\n")[1:] if line and not line.startswith("# "))
    return {name: label for name, _, label in (line.partition("\t") for line in lines)}


def same_in_french(person: Mapping[str, object], first_year: int | None) -> bool:
    """Tell whether a person surely has the same name in French.

    >>> draghi = {"kind": "human", "label": "Mario Draghi", "description": "prime minister of Italy 2021-2022"}
    >>> same_in_french(draghi, 2006), same_in_french(draghi | {"label": "Victor Emmanuel III"}, 1900)
    (True, False)
    """
    label, description = str(person["label"]), str(person["description"] or "")
    if person["kind"] != "human" or first_year is None or first_year < _SINCE:
        return False
    return bool(_TIED.search(description)) and not _RULER.search(label) and not _RULING.search(description)
