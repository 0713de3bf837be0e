"""The commented example that ``asof watch init`` writes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import date

from asof import registry


def example(models: Sequence[str], release: str, base: str, relations: str | None, not_older_than: str | None) -> str:
    """Write a file for some models.

    Args:
        models: Their locations; each becomes a model of its own.
        relations: Which relations are asked about, where not all.
        not_older_than: The bound on their knowledge cutoff.
    """
    names = _names(models)
    blocks = [
        _MODEL.format(name=_text(name), location=_text(location), release=_text(release), today=date.today())
        for name, location in zip(names, models, strict=True)
    ]
    settings = {"from": str(date.today().year - 4), "until": "last quarter"} | (
        {"relations": relations} if relations else {}
    )
    written = ", ".join(f"{name} = {_text(value)}" for name, value in settings.items())
    bound = _text(not_older_than or f"{date.today().year - 2}-Q1")
    probe, metric = _CHOOSES if _only_write(models) else _SCORES
    bounds = _BOUNDS.format(off="" if not_older_than else "# ", bound=bound, metric=metric)
    asked = _BENCHMARK.format(base=_text(base), settings=written, probe=probe)
    return "\n".join([_HEAD, _OF_MODELS + blocks[0], *blocks[1:], asked, bounds])


def _only_write(models: Sequence[str]) -> bool:
    """Tell whether one of some models has no log-probabilities of given answers, as most chat servers."""
    kinds = {location.partition(":")[0] for location in models} & set(registry.models.names())
    return any(not {"answer_logprob", "token_logprobs"} & registry.models.get(kind).can for kind in kinds)


def _names(models: Sequence[str]) -> list[str]:
    """Make a name for each location that can be that of a folder.

    >>> _names(["org/small", "openai-chat:http://127.0.0.1:8000/v1#tiny", "other/small"])
    ['small', 'tiny', 'small-2']
    """
    found: list[str] = []
    for location in models:
        last = re.split(r"[/#:]", location.rstrip("/"))[-1].removesuffix(".gguf")
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", last).strip("-.") or "model"
        found.append(f"{name}-{number}" if (number := found.count(name) + 1) > 1 else name)
    return found


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)  # a string of JSON is one of TOML


# What is asked of models, and what is measured of it: those that score given answers, and those that only write.
_SCORES = ('"pseudo-likelihood"', "accuracy")
_CHOOSES = ('{name = "choose", settings = {per_fact = 3}}', "win-rate")

_HEAD = """\
# Which releases of which models are asked what, when, and what must hold.
#   asof watch run --dry-run     what is due, and why
#   asof watch run               ask it; exit 0 fine, 1 something could not be done, 3 a bound is broken
#   asof watch page --to site    the dashboard
# Places are seen from the folder of this file. API keys stay in the environment (OPENAI_API_KEY).

title = "Are our models out of date?"
history = "watch-history"    # the folder of all answers: keep it, and nothing is asked twice

[when]
new_facts = true             # ask what is new when the base has changed, or "last quarter" is another one
# every_days = 30            # and when the last time was so long ago
# on = [2027-01-15]          # and on these days
"""
_MODEL = """\
[[model]]
name = {name}
location = {location}
release = {release}
released = {today}
"""
_OF_MODELS = """\
# One entry for each release: give the next one the same name and another release, and the two are compared.
# The location is as 'asof run' takes it: a folder, a hub name, gguf:FILE, KIND:ADDRESS#NAME. There may also be:
# settings = {in_flight = 16}   # how it is opened
# moving = true              # an address whose model may change: each date of [when] asks anew
# retired = true             # it can no longer be asked; its results stay
"""
_BENCHMARK = """\
# What changed, quarter by quarter: from this comes the knowledge cutoff.
[[benchmark]]
name = "changes"
build = "dynamic-templama"   # a recipe: new facts make new items. Or folder = "changes", a benchmark that you built
base = {base}
settings = {{{settings}}}
probes = [{probe}]   # or another one of 'asof list probes' that the models can answer
limit = 200                  # ask about so many subjects and relations, the most popular first
"""
_BOUNDS = """\
# Bounds are for the newest release. One is broken when the whole 95 % interval lies beyond; with strict = true, when
# the estimate itself does.
{off}[[bound]]
{off}benchmark = "changes"
{off}cutoff_not_older_than = {bound}

[[bound]]
benchmark = "changes"
metric = "{metric}"
worse_by_at_most = 0.02      # than the release before, paired by fact

# [[bound]]
# benchmark = "changes"
# metric = "win-rate"
# at_least = 0.6             # or at_most
"""
