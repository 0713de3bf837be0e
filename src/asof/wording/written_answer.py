"""What a text of a language model gives as its answer: the name, without the sentence, the markup or the reasoning.

The probe, the readers and the exports all take answers from here; an export gets a copy of this file, so it needs
nothing but Python. Only the text is looked at, never the accepted answers. A text is taken apart in the order in which
models put things around a name: reasoning and tokens of the template, a label ("Answer:"), markup, a refusal, the first
sentence, the sentence's verb ("The president was ..."), and an explanation that follows the name.
"""

import json
import re


def _words(text: str, parted_by: str | None = None) -> frozenset[str]:
    return frozenset(" ".join(word.split()) for word in text.split(parted_by))


UNFINISHED = "<think>"  # a model that was cut off while it was reasoning has neither answered nor declined

_NO_ANSWER = _words(
    """unknown, unanswerable, none, n/a, na, no answer, not stated, not mentioned, not known, no information,
    not specified, not available, not applicable, undetermined, indeterminate, nobody, no one, unclear, uncertain,
    null, no, unsure, vacant, inconnu, inconnue, aucun, aucune, ?, -""",
    ",",
)

# Abbreviations whose full stop does not end a sentence: anywhere, and those that are titles, before a name only.
_ABBREVIATIONS = _words("mr mrs ms dr st ste jr sr lt sgt mt ft vs inc co ltd corp bros wm th chas jas thos esq univ")
_TITLES = _words("rt prof gen col capt cmdr maj adm rev hon gov sen rep pres fr msgr no")
_KEEPS_ITS_STOP = _words("jr sr inc co ltd corp bros esq")  # at the end of a name

# Words with which a new sentence begins, even after what looks like an abbreviation ("... Jr. He was").
_BEGINS_A_SENTENCE = _words(
    """He She It They The This That These Those His Her Their Its In As However But There During After Before Since From
    Although Prior For When While Also Additionally Therefore So If Note Please Let Here You We Answer Explanation
    Question According Based"""
)

# Words of a name that are written small.
_PARTICLES = _words(
    """of the and a an de da do dos das del della der den di du la le les el al von van zu zum zur y e et bin ibn ben
    for in on at to with und och av af ter ten 't 'n d' o os s i ja na sur aux des"""
)

_EXPLAINS = r"""(?:who|whom|whose|which|where|when|as|a|an|and\s+(?:he|she|it|they|was|is)|but|he|she|it|they|his|her|
    since|until|from|in\s+(?:the|\d)|having|serving|succeeding|following|followed|succeeded|replaced|with|also|
    although|though|while|after|before|if|probably|presumably|I\s+(?:think|believe|guess|suppose|assume)|
    because|during|formerly|actually|indeed|not|née|for\s+wh\w+|[a-z]+\s+(?:of|since|from|until)|born|elected|appointed|then|representing|based\s+on|according\s+to|at\s+(?:the|that)|so
    |(?:\d+(?:st|nd|rd|th)\s+)?(?:President|Prime\s+Minister|Chancellor|Premier|Mayor|Governor|Leader|Head|Minister|Secretary|
     CEO|Manager|Head\s+Coach|Coach|Captain)\s+(?:of|for)
    |the\s+(?:\d\w*|[a-z]\w*|[A-Z]\w*(?:\s+[A-Z]\w*)*\s+(?:of|who|from|in)\b))"""
_OUTSIDE = r"(?![^()]*\))"  # a comma in parentheses is part of them
_AFTER_A_NAME = re.compile(
    rf"""
    ,{_OUTSIDE}\s+{_EXPLAINS}(?![-'\w]).*                             # Obama, who was
    | {_OUTSIDE}\s+(?:who|that\s+(?:held|led|had|served|managed|took|won)|because)\s.*  # Obama who was
    | {_OUTSIDE}\s+(?:until|till)\s.*                                 # Obama until 20 January, then
    | {_OUTSIDE}(?<!known)(?<!ed)(?<!works)\s+as\s.* | {_OUTSIDE}(?<!\bwas)\s+followed\s+by\s.*
    | \s+\|\s.* | \s*\[[^\][]*\]$
    | [\s,:]+\d{{4}}\s*[-–—]\s*(?:\d{{2,4}}|present|now)[.]?$           # Obama, 2009-2017
    | ;{_OUTSIDE}\s.*
    | {_OUTSIDE}\s+[-–—]+\s+(?=.*(?:\d|(?<!\S)(?!(?:{"|".join(_PARTICLES)})(?!\S))[a-z])).*
    | —(?=[a-z]).*                                                     # Obama - the 44th president
    | \s*\(\s*(?:since|from|until|served|serving|in|who|which|also|formerly|now|then|later|as|i\.e|e\.g|see|aka|
      a\.k\.a|according|based|during|between|the|has|had|is|was|his|her|but|not|although|he|she|it)(?![-'\w]).*
    """,
    re.VERBOSE | re.DOTALL,
)
_STYLE = re.compile(
    r"""^(?:\d{4}:\s+)?(?:(?:(?:The\s+)?(?:Right\s+Honou?rable|Rt\.?\s+Hon\.?|(?:Her|His)\s+(?:Majesty|Royal\s+Highness|Holiness|Excellency))
    |Acting|Former|Then|Vice|Deputy|First|Prime|Federal|President|Minister|Chancellor|Premier|Taoiseach|King|Queen|Emperor
    |Empress|Tsar|Pope|Prince|Princess|Sir|Dame|Lord|Lady|Senator|Governor|Mayor|Secretary|Speaker|General|Colonel|Captain
    |Admiral|Judge|Justice|Coach|Manager|Professor|Prof\.?|Dr\.?|Mr\.?|Mrs\.?|Ms\.?|CEO|Chairman|Director)[\s-]+)*
    (?=[^\W\d])(?!of\b|for\b|and\b)""",
    re.VERBOSE,
)
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")
_TIME_AFTER = re.compile(
    r"""[\s,]+(?:in|from|since|until|till|during|between|as\s+of|on|by|at|through|after|before|starting|for|around)\s+
    (?:(?:the|early|late|mid|about|at\s+least|year|years|month|months|of|beginning|end|period|summer|spring|autumn|fall|
    winter|January|February|March|April|May|June|July|August|September|October|November|December|and|to|until|through|
    present|[-–,])\s*)*(?:(?<!\d)\d{1,4}(?!\d)s?(?:st|nd|rd|th)?(?:\s*[-–,/]\s*|\s+(?:BC|AD|BCE|CE)\b\s*|\s+)?(?:(?:and|to|until|through|
    January|February|March|April|May|June|July|August|September|October|November|December|the|present|of)\s*)*)+$
    | [\s,]+(?:at\s+(?:that|the)\s+time|back\s+then|during\s+(?:that|this|his|her|its|their)\s+\w+)$""",
    re.VERBOSE,
)
_TIME_BEFORE = re.compile(
    r"""^(?:(?i:In|On|During|At|By|Between|From|Since|Until|Throughout|Around|Back\s+in|As\s+of|According\s+to|Based\s+on|
    To\s+the\s+best|As\s+far\s+as|If\s+I|From\s+what|Looking\s+at|To\s+(?:answer|sum|summari[sz]e|conclude))\s(?=[^,:]*(?:\d|\b(?:the|my|that|this|your|I)\b))[^,:]{1,80}|However|But|That\s+said|Therefore|So|Thus|Historically)
    (?:,\s*\d{4})?[,:]\s+
    | ^(?:After|Following|Before)\s[^,:.]{1,60},\s+(?=[A-Z])
    | ^(?i:In|On|By|During|Since)\s+(?:(?:early|late|mid)[\s-])?(?:[A-Z][a-z]+\s+)?(?:\d{1,2},?\s+)?\d{4}\s+
      (?=(?:[A-Z](?!D\b|C\b|CE\b)|the\b|it\b|he\b|she\b)[^,]*\s(?:was|is|were|had|held|served|led)\s)""",
    re.VERBOSE,
)
_ONLY_A_TIME = re.compile(r"^(?:In|On|Since|From|Until)\s+(?=(?:the\s+)?(?:\w+\s+)?\d[\w ,]*$)")

_BY = r"(?:\w+ed|held|led|run|built|made|written|chosen|won)\s+by"
_VERB = re.compile(
    rf"""\s(?P<after>(?:(?:was|is|were|are|been|became)\s+)?(?:{_BY}|(?:a\s+)?(?:member|part)\s+of|married\s+to|known\s+as|called|named|
    renamed(?:\s+to)?|(?:located|based|situated)\s+in)
    |(?:(?:was|is|were|are|been)\s+)?(?:an?\s+)?(?:played|plays|playing|player|worked|works|working|employee|studied|
    studying|student|lived|lives|living|resident|citizen|signed|educated)\s+(?:as\s+an?\s+(?:[a-z]+\s+){{1,3}}?)?(?:for|at|in|with|of)
    |(?:was|is|were)\s+(?:with|at)|(?:moved|transferred|went)\s+to|attended|joined|belonged\s+to)\s
    |\s(?P<either>(?:was|is|were|are|became|(?:has|had)\s+become|remains|remained|est|était|fut|(?:has|had|have|would\s+have)\s+been|would\s+be|
    might\s+be|may\s+be|could\s+be|(?:might|may|could|must)\s+have\s+been)(?:\s+(?:likely|probably|actually|indeed|still))?)\s(?!to\s)
    |\s(?P<before>(?:(?:has|had|have)\s+)?(?:served|serves|held|holds|led|leads|ruled|governed|managed|coached|headed|took|came|won|succeeded|
    replaced|occupied|assumed))\s(?=[A-Z\d]|(?:the|a|an|his|her|its|this|that|office|power|over|from|in|as|until|for|on|by)\s)""",
    re.VERBOSE,
)
_POINTS_AT = re.compile(
    r"^(?:(?:I\s+(?:think|believe|guess)|so|thus|then)(?:\s+that)?\s+)?(?:it|that|this|he|she|they|c['’]|ce)$", re.I
)

# The club he played for was ...
_RELATIVE = re.compile(
    r"^([Tt]he\s[\w'’ -]+?)\s(?:(?:that|which|whom)\s)?(?:he|she|they|it|you)\s[^,]{1,60}?\s(?=(?:was|is|were|are)\s)"
)

_SOURCE = r"(?:text|document|passage|article|context|information|question|page|data|source|material|excerpt)s?"
_NEGATION = r"(?:not|no|n't|n’t|never|un\w+|insufficient|impossible)"
_DECLINES = re.compile(
    rf"""^(?:
    I(?:['’]m|\s+am)\s+(?:sorry|afraid|unable|unsure|not\s)
    | I\s+(?:would\s+|['’]d\s+)?need\s+more\b
    | I\s+(?:\w+ly\s+)?(?:do|can|could|did|would|have|was|am)(?:\s*not|n['’]t|\s+no|\s+never)\b | I\s+can['’]t\b
    | (?:I|We)\s+apologi[sz]e | (?:My\s+)?[Aa]pologies | Sorry(?:[,.!]|\s+(?:but|I)\b|$)
    | Unfortunately\b | As\s+an?\s+(?:AI|(?:large\s+)?language\s+model)\b
    | [Tt]here\s+(?:is|was|are|were|isn['’]t|wasn['’]t|aren['’]t)
      (?:\s+(?:no|not|insufficient|nobody|currently\s+no)\b|n['’]t)
    | (?:He|She|They)\s+(?:was|is|were|are)\s+not\b
    | [Ii]t\s+(?:isn|wasn|doesn|didn)['’]t\b | [Ii]t(?:['’]s|\s+is|\s+was|\s+does|\s+isn['’]t|\s+cannot)\s+
      (?:not\b|un(?:known|clear|certain|specified)|impossible|be\s)
    | (?:[Tt]he\s|[Tt]his\s|[Yy]our\s)?(?:given\s+|provided\s+|above\s+)*{_SOURCE}\s+(?:[a-z]+\s+){{0,4}}?
      (?:(?:do|does|did|is|are|was|has|have|can|could)\s*{_NEGATION}|cannot|fails)\b
    | No\s+(?:information|answer|data|mention|such|records?|specific|idea|clear|known|person|relevant|details?|
      evidence)\b
    | [Nn]o\s?(?:one|body)\s+[a-z] | None\s+(?:of|was|were|is|are|stated|mentioned|listed|given|found)\b
    | (?:[Tt]he\s+)?(?:information|answer|data|details?|Information|Answer|Data|Details?|Name)\s+(?:is\s+|are\s+)?
      (?:not|un(?:known|available|clear))\b
    | [Nn]ot\s+(?:enough|specified|stated|mentioned|available|given|known|provided|sure|applicable|possible|found|
      in\s+the|clear|certain|disclosed|determined|answerable|listed|explicitly|directly|publicly)\b
    | (?:Cannot|Can['’]t|Can\s+not|Could\s+not|Unable\s+to|Impossible\s+to|Hard\s+to|Insufficient|cannot|unable\s+to)\b
    | (?:[Tt]he\s+)?(?:[Pp]osition|[Oo]ffice|[Pp]ost|[Ss]eat|[Tt]hrone)\s+(?:was|is|remained)\s+(?:vacant|empty|not\b)
    | [Jj]e\s+(?:ne\s+(?:sais|connais|peux|dispose)|n['’]ai)\b | Aucune?\s+[a-z] | Désolée?\b
    | (?:[Tt]he\s|[Tt]his\s)?(?:given\s+|provided\s+)?{_SOURCE}\s+
      (?:(?:only|merely)\s+(?:covers?|mentions?|goes?|lists?|gives?)
      |(?:says?|gives?|mentions?|tells?|has|have|contains?|provides?)\s+(?:nothing|no))\b
    | [Mm]y\s+(?:knowledge|training(?:\s+data)?|information)\s+(?:(?:does|do|is|was)\s*{_NEGATION}|only|ends)\b
    | Nothing\s+[a-z] | (?:[Tt]he\s+)?(?:answer|information|question)\s+(?:cannot|can['’]t|could\s+not)\b
    | [A-Z]\w*(?:\s\w+){{0,3}}\s+(?:had|has)\s+no\s+[a-z]
    | (?:\w+\s+){{1,5}}(?:is|lies)\s+(?:still\s+)?in\s+the\s+future\b
    | [Uu]n(?:known|clear|specified|answerable)\s+(?:from|in|as|at|to|based|due|because|since|\()
    )""",
    re.VERBOSE,
)
_HEDGED = re.compile(
    r"\b(?:but|However,|though)\s+(?:(?:I\s+(?:think|believe|guess|suspect|would\s+(?:guess|say))|my\s+(?:best\s+)?guess\s+(?:is|would\s+be)"
    r"|likely|probably|it['’]s\s+likely)\b[\s,:]*(?:that\s+)?(?:it\s+(?:was|is|might\s+be|could\s+be|may\s+be)\s+)?"
    r"|it\s+(?:was|is|might\s+be|could\s+be|may\s+be|(?:might|could|may|must)\s+have\s+been)(?:\s+(?:likely|probably))?\s+(?!not|un))(?=[A-Z\"'*])"
)

# What is said before the answer: who says so, and how sure he is.
_HEDGE = r"(?:(?:most|very|quite)\s+)?(?:likely|probably|possibly|perhaps|maybe|presumably|apparently)"
_OPENING = re.compile(
    rf"""^(?:
    I(?:['’]m|\s+am)\s+(?:\w+\s+)?(?:sure|confident|certain)(?:\s+that)?
    | (?:I['’]d|I\s+would|I['’]ll|I\s+will)\s+(?:say|guess|go\s+with|answer)(?:\s+that)?
    | If\s+I\s+(?:had|have)\s+to\s+(?:guess|choose|answer)
    | I\s+(?:think|believe|guess|suspect|assume|recall|remember)(?:\s+that(?!\s+(?:was|is|would)))?
    | You(?:['’]re|\s+are)\s+(?:probably\s+|likely\s+)?(?:thinking\s+of|looking\s+for|referring\s+to|asking\s+about)
    | (?:hm+|ah|oh|actually|currently|indeed|overall|in\s+(?:short|brief|fact|summary|conclusion))(?=[,:.])
    | first(?=\s[A-Z][^,]*,\s*then\s)
    | (?:The|This|That|Your)\s+(?:given\s+|provided\s+)?{_SOURCE}\s+
      (?:states|says|mentions|indicates|suggests|notes|shows|implies|names|lists)(?:\s+that)?
    | {_HEDGE}
    )[\s,:.]+(?=[A-Z"“'‘*]|(?:it|he|she|they|that|the|I)\b)""",
    re.VERBOSE | re.IGNORECASE,
)
_CONTRACTED = re.compile(r"^(it|that|he|she|this|they)['’](?:(s)|(d)(?=\s+be)|re)\s+", re.IGNORECASE)
_IT_IS_IN_FRENCH = re.compile(
    r"^(?:c['’](?:est|était)|ce\s+fut|il\s+s['’]agi(?:t|ssait)\s+d(?:e\s|['’]))\s*", re.IGNORECASE
)
_THINKS = re.compile(r"(?:Let(?:['’]s|\s+us|\s+me)|Hm+|Okay|OK|Alright|Thinking)\b", re.IGNORECASE)
_BOTH = re.compile(r"^(?:both\s+(?=\S.*\sand\s)|either\s+(?=\S.*\sor\s))", re.IGNORECASE)
_NOT_BUT = re.compile(
    r"^(?:(?:It|That)\s+(?:was|is)\s+)?[Nn]ot\s+(?=[A-Z])[^.,]{1,80},?\s+but(?:\s+rather)?\s+(?=[A-Z\"'*])"
)

# What a field before the answer is called: "Prime Minister: ...", "Option B: ...".
_FIELD = re.compile(
    r"""^(?:(?:option|choice)\s+\(?[a-d1-4]\)?|(?:[\w'’-]+\s+){0,3}(?:name|person|minister|president|chancellor|premier|coach|
    manager|captain|owner|chair|chairman|chairperson|director|ceo|leader|head|monarch|king|queen|emperor|pope|governor|mayor|
    speaker|secretary|holder|incumbent|winner|champion|spouse|husband|wife|partner|employer|team|club|party|position|office|
    capital|currency|country|city|government|state|residence|school|university|output|result|guess)
    (?:\s+(?:of|in|at|during|for)\s+(?:the\s+)?[\w.' -]{1,40})?)\s*:\s+(?=\S)""",
    re.VERBOSE | re.IGNORECASE,
)
_CITATION = re.compile(r"\s*(?:\[\^?\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\](?!\()|【[^】\n]{0,60}】)")
_SIGNS = "[\U0001f000-\U0001faff\u2600-\u26ff\u2700-\u27bf\ufe0f\u200d]+"
_SIGN_AT_AN_END = re.compile(rf"(?m)^\s*{_SIGNS}\s*|\s*{_SIGNS}[ \t]*$")
_TAG = re.compile(r"</?(?:b|i|u|em|strong|p|span|mark)>|<br\s*/?>", re.IGNORECASE)
_LINK = re.compile(r"!?\[([^\]\[]+)\]\([^()\s]*\)")
_FENCE = re.compile(r"```(?:[a-z]+\n)?")
_STOP_OF_OTHER_SCRIPTS = re.compile(r"(?:です|でした)?[。．।]|(?:です|でした)$")

_LABEL = re.compile(
    r"""(?:(?:^|(?<=[\s*#>_(]))(?:the\s+)?(?:final\s+|correct\s+|short\s+|best\s+|right\s+)?
    (?:answer|response)\s*(?:[*_]{1,2}\s*)?(?::|\s[-–—](?=\s))(?:[*_]{1,2}(?=\s|$))?\s*
    |\b(?:the|my)\s+(?:final\s+|correct\s+|short\s+|best\s+|right\s+)?answer(?:\s+to\s+[^.\n]{1,120}?)?\s+
     (?:is|was|would\s+be|should\s+be)(?-i:\s+likely|\s+that)?\s*:?\s+
    |^A:\s*|^[#*_\s]*(?:final\s+)?answer[*_\s]*\n)""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_REASONING = re.compile(r"<(think|thinking|reasoning|thought)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_BEGUN_REASONING = re.compile(r"<(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_ENDED_REASONING = re.compile(r"^.*</(?:think|thinking|reasoning|thought)>", re.DOTALL | re.IGNORECASE)
_END_OF_TURN = re.compile(r"<\|[^|>\n]{1,40}\|>|</?s>|<(?:eos|bos|pad|end_of_turn|start_of_turn|unk)>|\[/?INST\]")
_NEXT_QUESTION = re.compile(r"\n[ \t]*[*#]*[ \t]*(?:Question|Q|Text|Context|Passage|User|Human)\s*\d*\s*:")
_MARKED = re.compile(r"<answer>(.*?)(?:</answer>|$)|\\boxed\{(?:\\text\{)?([^{}]*)\}", re.DOTALL | re.IGNORECASE)
_POLITE = re.compile(
    r"^(?:Sure|Certainly|Of course|Absolutely|Great question|Good question|Yes|Okay|OK|Well)[!,.]+\s+(?=\S)"
)
_LIST_MARK = re.compile(
    r"^(?:[-*•–]\s+|\d{1,2}\)\s+|\(?[a-dA-D]\)\s+|(?P<number>\d{1,2})\.\s+(?!(?:[A-Z]{2,4}\b|\w*[Ll]iga\b)))"
)
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_LONGEST = 600  # letters of a line that are looked at: what goes on longer is no answer
_JSON_KEYS = ("answer", "final_answer", "final answer", "response", "name")
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“", "«": "»", "‘": "’", "`": "`", "「": "」"}


def answer_in(text: str) -> str:
    """Return the answer in what a model wrote; "" when it says that it does not know.

    >>> answer_in(" Ann Lee. She led it"), answer_in("The president was George W. Bush."), answer_in("**A.C. Milan**")
    ('Ann Lee', 'George W. Bush', 'A.C. Milan')
    >>> answer_in("I don't know."), answer_in("Unknown."), answer_in("")
    ('', '', '')
    """
    text = without_reasoning(text)
    if text == UNFINISHED:
        return UNFINISHED
    text = _NEXT_QUESTION.split(_END_OF_TURN.split(text.strip() + " ")[0] or "")[0].strip()
    text = _out_of_json(_without_furniture(text))
    for one in _MARKED.finditer(text):
        text = next(part for part in (*one.groups(), "") if part is not None)
    ends = reversed([one.end() for one in _LABEL.finditer(text)])
    last = next((end for end in ends if text[end:].strip(" \n.*_")), 0)
    return _answer_in_line(_first_line(text[last:])[:_LONGEST], is_name=last > 0)


def _without_furniture(text: str) -> str:
    """Return a text without tags, links, marks of sources and pictures.

    >>> _without_furniture("✅ ***[Ann Lee](https://ann.org)*** [1]")
    '**Ann Lee**'
    """
    text = _LINK.sub(r"\1", _TAG.sub("", text))
    return _SIGN_AT_AN_END.sub("", _CITATION.sub("", re.sub(r"\*{3}(?=\S)([^*\n]+)\*{3}", r"**\1**", text)))


def _out_of_json(text: str) -> str:
    """Return the answer of a JSON object, and any other text as it is."""
    bare = _FENCE.sub("", text).strip()
    try:
        said = json.loads(bare) if bare.startswith("{") else None
    except ValueError:
        return text
    if not isinstance(said, dict) or not said:
        return text
    keys = {key.casefold(): value for key, value in said.items()}
    value = next((keys[key] for key in _JSON_KEYS if key in keys), next(iter(keys.values())))
    first = value[0] if isinstance(value, list) and value else value
    return f"Answer: {first if first not in (None, '', []) else 'unknown'}"


def without_reasoning(text: str) -> str:
    """Return what a model wrote after it had reasoned; ``UNFINISHED`` when it was cut off before.

    >>> without_reasoning("<think>Ann or Ben?</think>Ann"), without_reasoning("<think>Ann or")
    ('Ann', '<think>')
    """
    text = _ENDED_REASONING.sub("", _REASONING.sub("", text))
    return UNFINISHED if _BEGUN_REASONING.search(text) else text


def readings(answer: str) -> tuple[str, ...]:
    """Return an answer as it is, without a remark at its end, and without a year and titles before it.

    Nothing in a text tells the remark of "Barack Obama (2009-2017)" from the name "Argentine Peso (1983-1985)", or the
    title of "President Barack Obama" from the name "President Bongo", so each reading may be right.

    >>> readings("Barack Obama (2009-2017)"), readings("Ann Lee"), readings("Prime Minister Ann Lee")
    (('Barack Obama (2009-2017)', 'Barack Obama'), ('Ann Lee',), ('Prime Minister Ann Lee', 'Ann Lee'))
    >>> readings("1985: President Ann Lee")
    ('1985: President Ann Lee', 'Ann Lee')
    """
    plain = _REMARK.sub("", answer)
    every = (answer, plain, _STYLE.sub("", answer), _STYLE.sub("", plain))
    return tuple(dict.fromkeys(one for one in every if one or not answer))


def _first_line(text: str) -> str:
    """Return the first line that is more than an introduction ("Here is the answer:"), without the mark of a list."""
    lines = [line.strip() for line in _FENCE.sub("\n", text).splitlines() if line.strip()]
    while len(lines) > 1 and (lines[0].rstrip("*_ ").endswith(":") or lines[0].startswith("#")):
        lines.pop(0)
    if not lines:
        return ""
    line = re.sub(r"^[#>]+\s+", "", lines[0])
    marked = _LIST_MARK.match(line) or (
        re.match(r"1\.\s+", line) if any(one.startswith("2.") for one in lines) else None
    )
    if marked:
        line = re.split(r"\s2[.)]\s", line[marked.end() :])[0]
    return _STOP_OF_OTHER_SCRIPTS.split(line)[0] or line


def _answer_in_line(line: str, *, is_name: bool) -> str:
    """Return the answer in a line; after a label it is a name unless a verb says otherwise."""
    line = _POLITE.sub("", line)
    bold = [inside for _, inside in _BOLD.findall(line) if not inside.rstrip().endswith(":")]
    plain = _BOLD.sub(lambda one: "" if one[2].rstrip().endswith(":") else one[2], line).strip()
    plain = re.sub(r"^\*\*(?!\*)|\*\*$", "", plain)  # one whose partner is missing
    plain = _unquoted(re.sub(r"^([*_])(?=[^\s*_])([^*_]+)\1(?=\W|$)", r"\2", plain))
    plain = _NOT_BUT.sub("", plain)
    if declined(plain):
        return _said_all_the_same(plain)
    if len(bold) == 1 and _is_name(bold[0].strip(" .:\"'")):
        return _cleaned(bold[0])
    sentences = _sentences(plain)
    while len(sentences) > 1 and _THINKS.match(sentences[0]):
        sentences.pop(0)
    return _answer_in_sentence(sentences[0], is_name=is_name) if sentences else ""


def declined(text: str) -> bool:
    """Tell whether a text says that its writer does not know, or that there is no answer."""
    bare = text.strip(" .!*_\"'()[]").casefold()
    return bare in _NO_ANSWER or bool(_DECLINES.match(_TIME_BEFORE.sub("", text.strip(" *_\"'"))))


def _said_all_the_same(text: str) -> str:
    """Return the answer of a text that declines at first: "I'm not sure, but I think it was Ann Lee."."""
    hedged = _HEDGED.search(text)
    if hedged:
        return _answer_in_sentence(_sentences(text[hedged.end() :])[0], is_name=False)
    for sentence in _sentences(text)[1:]:
        stated = _TIME_BEFORE.sub("", _TIME_BEFORE.sub("", sentence))
        if stated != sentence and not declined(stated):
            found = _answer_in_sentence(stated, is_name=False)
            return found if found != _cleaned(stated) else ""
    return ""


def _answer_in_sentence(sentence: str, *, is_name: bool) -> str:
    sentence = sentence.strip()
    if not is_name:
        sentence = _opened(sentence)
    shown = _RELATIVE.sub(r"\1 ", _cleaned(_FIELD.sub("", sentence)))
    # What stands in parentheses is no part of the sentence.
    plain = re.sub(r"\([^()]*\)", lambda one: "·" * len(one[0]), shown)
    verb = _VERB.search(f" {plain} " if _VERB.match(plain) else f"{plain} ")
    if not verb:
        return "" if declined(shown) else shown
    left, right = shown[: verb.start()].strip(), _cleaned(shown[verb.end() :])
    chosen = _chosen(left, right, verb)
    return "" if declined(chosen) else chosen


def _opened(sentence: str) -> str:
    """Return a sentence without what stands before its statement: a time, who says so, how sure he is.

    >>> _opened("In 2011, I think it's Ann Lee"), _opened("Most likely Ann Lee"), _opened("C'était Ann Lee")
    ('it is Ann Lee', 'Ann Lee', 'Ann Lee')
    """
    before = ""
    while sentence != before:
        before = sentence
        sentence = _OPENING.sub("", _TIME_BEFORE.sub("", sentence))
    sentence = _IT_IS_IN_FRENCH.sub("", _BOTH.sub("", sentence))
    return _CONTRACTED.sub(lambda one: f"{one[1]} {'would' if one[3] else 'is'} ", sentence)


def _chosen(left: str, right: str, verb: re.Match[str]) -> str:
    """Choose what stands before a verb or after it: the one that looks like a name, not like a description."""
    if not right or not left:
        return left or right
    if declined(right) or verb["after"] or _POINTS_AT.match(left):
        return right
    if verb["before"]:
        return left
    described = left.startswith("The ") or any(
        re.search(one, left) and not re.search(one, right) for one in (r"\sof\s", r"['’]s\s")
    )
    if _is_name(right) and (described or not _is_name(left)):
        return right
    if _is_name(left):
        return left
    describes = re.match(r"(?:the|a|an|his|her|its|their)\s", right)
    if left.startswith(("The ", "the ")):  # of two descriptions the shorter: "The currency was the euro."
        return left if describes and len(left.split()) < len(right.split()) else right
    return left if describes else f"{left} {verb[0].strip()} {right}"


def _is_name(text: str) -> bool:
    """Tell whether a text is written like a name: every word begins large, apart from particles."""
    words = re.sub(r"^(?:the|The|a|an)\s+", "", _REMARK.sub("", text)).split()
    begins = bool(words) and not words[0][0].islower()
    return begins and len(words) <= 12 and all(not word[0].islower() or word.lower() in _PARTICLES for word in words)


def _sentences(text: str) -> list[str]:
    """Cut a text into sentences; the full stops of initials and abbreviations do not end one.

    >>> _sentences("George W. Bush. He followed Bill Clinton."), _sentences("Dr. Dre")
    (['George W. Bush.', 'He followed Bill Clinton.'], ['Dr. Dre'])
    """
    found, start = [], 0
    for stop in re.finditer(r"([.!?])[\"”’')\]*]*\s+(?=(\S+))", text):
        if _ends_a_sentence(text[start : stop.start(1)], stop[1], stop[2]):
            found.append(text[start : stop.end()].strip())
            start = stop.end()
    return [*found, *([text[start:].strip()] if text[start:].strip() else [])]


def _ends_a_sentence(before: str, stop: str, following: str) -> bool:
    begins = following.strip("\"'“*,:") in _BEGINS_A_SENTENCE or following.startswith(("I'", "I’"))
    if stop != "." or begins or before.endswith("."):
        return begins
    words = before.split()
    last = words[-1].lstrip("(\"'“*").casefold() if words else ""
    if not last or (len(words) == 1 and last.isdigit()):
        return False
    titles = all(word.strip("(\"'“*.").casefold() in _TITLES for word in words)
    return not (_is_initial(last) or last in _ABBREVIATIONS or titles)


def _is_initial(word: str) -> bool:
    """Tell whether a word without its full stop is an initial or made of such: W, A.C, O'H."""
    return re.fullmatch(r"(?:\w{1,2}['’.]-?)*\w{1,2}", word) is not None and (len(word) == 1 or not word.isalnum())


def _keeps_its_stop(word: str) -> bool:
    return word.casefold() in _KEEPS_ITS_STOP or ("." in word and _is_initial(word))


def _cleaned(text: str) -> str:
    """Return a name without the explanation after it, quotes around it and the full stop of the sentence."""
    text = text.strip()
    explained = _AFTER_A_NAME.search(text, 1) if text else None
    text = _unquoted(text[: explained.start()] if explained else text).strip(" ,;:")
    bare = text.rstrip(".").rstrip()
    bare = _ONLY_A_TIME.sub("", bare)
    timed = _TIME_AFTER.search(bare)
    if timed and timed.start():
        bare = text = bare[: timed.start()]
    words = bare.split()
    if text.endswith(".") and words and _keeps_its_stop(words[-1]):
        return f"{bare}."
    return re.sub(r"\s+(?:was|is|were|are|did|does|had|has)$", "", bare)


def _unquoted(text: str) -> str:
    """Take away quotes around the whole text, and one whose partner is missing."""
    inner = text.rstrip(".,;")
    close = _QUOTES.get(inner[:1])
    if close and len(inner) > 2 and inner.endswith(close):
        first = inner[1:-1].find(close)
        if first <= 0 or inner[first] == " ":  # the next quote opens another pair
            return inner[1:-1].strip()
    if text.count('"') == 1:
        return text.replace('"', "")
    return text
