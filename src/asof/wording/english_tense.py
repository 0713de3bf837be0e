"""Is an English question in the past tense? Decided by its verbs, with lists instead of a tagger.

Questions are short and built in few ways, so that the first verb tells: an auxiliary ("who was", "did he play"), or a
full verb after the question word ("who led", "which team included"). A question that mixes tenses counts as present.
"""

import re

_PRESENT = {
    "is", "are", "am", "isn't", "aren't", "does", "doesn't", "do", "don't", "has", "have", "hasn't", "haven't",
    "will", "won't", "shall",
}  # fmt: skip
_PAST = {"was", "were", "wasn't", "weren't", "did", "didn't", "had", "hadn't", "could", "would"}
_THEN_INFINITIVE = {"did", "didn't", "could", "would", "to"}
_BARE = {"do", "have"}  # present, but infinitives after those: "who did he have", "who used to have"

# Verbs that ask about posts, places, teams and families. The past of the regular ones is known by its "ed".
_IRREGULAR = {
    "lead": "led", "hold": "held", "run": "ran", "make": "made", "wear": "wore", "win": "won", "have": "had",
    "keep": "kept", "lie": "lay", "teach": "taught", "speak": "spoke", "sing": "sang", "write": "wrote",
    "sit": "sat", "stand": "stood", "bear": "bore", "give": "gave", "take": "took", "build": "built",
    "become": "became", "begin": "began", "choose": "chose", "draw": "drew", "drive": "drove", "fly": "flew",
    "get": "got", "go": "went", "grow": "grew", "know": "knew", "lose": "lost", "meet": "met",
    "oversee": "oversaw", "pay": "paid", "say": "said", "sell": "sold", "send": "sent", "spend": "spent",
    "swim": "swam", "tell": "told", "think": "thought", "bring": "brought", "buy": "bought", "come": "came",
    "fight": "fought", "seek": "sought",
}  # fmt: skip
_REGULAR = {
    "play", "serve", "work", "own", "govern", "preside", "chair", "head", "manage", "coach", "direct", "belong",
    "employ", "live", "reside", "locate", "occupy", "use", "include", "represent", "sponsor", "host", "present",
    "edit", "publish", "produce", "perform", "control", "command", "attend", "date", "rule", "reign", "act",
    "function", "operate", "captain", "train", "participate", "compete", "join", "contain", "comprise", "love",
    "help", "support", "study", "marry", "consider", "call", "name", "form", "succeed", "appoint", "elect",
    "administer", "guide", "anchor", "star", "show", "carry",
}  # fmt: skip
_ADDS_ES = ("s", "sh", "ch", "x", "z", "o")
_NO_VERBS_IN_ED = {"need", "bed", "red", "speed", "breed", "deed", "feed", "seed", "shed", "creed", "indeed"}


def past_tense(words: str) -> str | None:
    """Return why a question is not in the past tense, None when it is. Names should be taken out before.

    >>> past_tense("who was the head of state of"), past_tense("which team did he play for"), past_tense("who led")
    (None, None, None)
    >>> past_tense("who did she have as her husband"), past_tense("which band included")
    (None, None)
    >>> past_tense("who works with Jason Newsted")
    "it is not in the past tense: 'works'"
    >>> past_tense("who is the head of state of")
    "it is not in the past tense: 'is'"
    >>> past_tense("which team plays in the walled city of")
    "it is not in the past tense: 'plays'"
    >>> past_tense("who's the wife of")
    "it is not in the past tense: 's"
    >>> past_tense("which team")
    'it has no verb in the past tense'
    """
    found = re.findall(r"(?<!\w)[a-z]+(?:'[a-z]+)?(?!\w)", words.replace("’", "'"))  # lower case: capitals are names
    if found and re.fullmatch(r"(?:who|what|where|which|how)'(?:s|re)", found[0]):
        return f"it is not in the past tense: '{found[0].split(chr(39))[1]}"
    for index, word in enumerate(found):
        infinitive = word in _BARE and any(before in _THEN_INFINITIVE for before in found[:index])
        if word in _PRESENT and not infinitive:
            return f"it is not in the past tense: '{word}'"
    if any(word in _PAST for word in found):
        return None
    for word in found:
        if word in _PAST_FORMS or (word.endswith("ed") and word not in _NO_VERBS_IN_ED):
            return None
        if word in _PRESENT_FORMS:
            return f"it is not in the past tense: '{word}'"
    return "it has no verb in the past tense"


def _third_person(base: str) -> str:
    """Return the form after "who" in the present tense.

    >>> _third_person("play"), _third_person("coach"), _third_person("marry")
    ('plays', 'coaches', 'marries')
    """
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(_ADDS_ES) else "s")


_PAST_FORMS = set(_IRREGULAR.values())
_PRESENT_FORMS = {_third_person(base) for base in (*_IRREGULAR, *_REGULAR)}
