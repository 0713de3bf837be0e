"""What to train and how: a scorer, its settings and those of the training, in one list of names."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, get_type_hints

from asof import registry
from asof.completion.dataset import Dataset
from asof.completion.scorers import Scorer
from asof.completion.training.trainer import CompletionTraining, sizes_of
from asof.errors import UserError, did_you_mean
from asof.training.settings import refuse_below_one, refuse_unknown, refuse_wrong_types

_MOST_COMPARISONS = 20_000_000_000  # of questions with candidates in an epoch
_SHARED_NEGATIVES = 1000
_MOST_RANKED = 4_000_000_000  # candidates of all questions about valid
_VALID_FACTS = 5000  # an MRR of 0.3 is known to 0.004 then
RANK = 100  # where nobody says; the papers have 200, which takes twice as long


@dataclass(frozen=True)
class CompletionPlan:
    """A scorer to be trained."""

    scorer: str
    rank: int = RANK
    options: Mapping[str, Any] = field(default_factory=dict)
    training: CompletionTraining = field(default_factory=CompletionTraining)

    @classmethod
    def of(cls, scorer: str, settings: Mapping[str, Any]) -> CompletionPlan:
        """Make a plan of settings by name, those of the scorer and those of the training alike."""
        known = settings_of(scorer)
        refuse_unknown(scorer, settings, known)
        refuse_wrong_types(settings, known)
        if not 0 <= settings.get("average", 0) < 1:
            raise UserError(f"average is {settings['average']:g}; it must be at least 0 and below 1, such as 0.99.")
        refuse_below_one(settings, ("rank", "evaluate_every", "patience"))
        training = CompletionTraining.of(settings)
        if training.initial == 0:
            raise UserError(
                "initial is 0; embeddings that are all alike stay alike. Give a number above 0, such as 0.05."
            )
        options = {name: settings.get(name, default) for name, default in _own_defaults(scorer).items()}
        return cls(scorer, settings.get("rank", RANK), options, training)

    def for_facts(self, facts: int) -> CompletionPlan:
        """Take smaller batches where there are few facts, so that an epoch has some ten steps all the same.

        >>> [CompletionPlan("complex").for_facts(facts).training.batch for facts in (96, 20_000)]
        [16, 1500]
        """
        return replace(self, training=self.training.for_examples(facts, steps=10))

    def for_size(self, facts: int, entities: int) -> CompletionPlan:
        """Compare answers with a sample of candidates where comparing them with all would take hours an epoch.

        The published datasets stay far below: the largest, ICEWS05-15, has eight thousand million comparisons.

        >>> sizes = (370_000, 10_500), (1_000_000, 200_000)  # facts and entities
        >>> [CompletionPlan("complex").for_size(*size).training.shared_negatives for size in sizes]
        [0, 1000]
        """
        if self.training.negatives or self.training.shared_negatives or 2 * facts * entities <= _MOST_COMPARISONS:
            return self
        return replace(self, training=replace(self.training, shared_negatives=_SHARED_NEGATIVES))

    def for_valid(self, facts: int, entities: int) -> CompletionPlan:
        """Rank a sample of valid while training, where ranking all of it would take longer than an epoch.

        >>> sizes = (46_000, 10_500), (100_000, 200_000)  # facts of valid and entities
        >>> [CompletionPlan("complex").for_valid(*size).training.valid_facts for size in sizes]
        [0, 5000]
        """
        if self.training.valid_facts or 2 * facts * entities <= _MOST_RANKED or facts <= _VALID_FACTS:
            return self
        return replace(self, training=replace(self.training, valid_facts=_VALID_FACTS))

    @property
    def settings(self) -> dict[str, Any]:
        """All settings by name, as TOML gives them back."""
        every = {"rank": self.rank, **self.options, **asdict(self.training)}
        lists = {name: list(value) for name, value in every.items() if isinstance(value, tuple)}
        return {name: value for name, value in {**every, **lists}.items() if value is not None}

    def new_scorer(self, dataset: Dataset) -> Scorer:
        """Make the scorer for a dataset, untrained; it has looked at no fact."""
        made: Scorer = registry.scorers.get(self.scorer)(sizes_of(dataset), self.rank, **self.options)
        return made


def settings_of(scorer: str) -> dict[str, Any]:
    """Return the type of every setting of a scorer and of its training."""
    types: dict[str, Any] = {}
    for one in _constructors(scorer):
        types |= get_type_hints(one)
    own = {name: types[name] for name in _own_defaults(scorer)}
    return {"rank": int, **own, **CompletionTraining.types()}


def _own_defaults(scorer: str) -> dict[str, Any]:
    """Return the settings of a scorer itself: the options of its class and of those that it builds on."""
    parameters = (one for made in _constructors(scorer) for one in inspect.signature(made).parameters.values())
    return {one.name: one.default for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY}


def _constructors(scorer: str) -> list[Callable[..., None]]:
    """Return the constructor of a scorer, before it those to which it hands on what it does not know itself."""
    found: list[Callable[..., None]] = []
    for one in registry.scorers.get(scorer).__mro__:
        if "__init__" in vars(one):
            found.insert(0, vars(one)["__init__"])
            kinds = [parameter.kind for parameter in inspect.signature(found[0]).parameters.values()]
            if inspect.Parameter.VAR_KEYWORD not in kinds:
                break
    return found


def preset_names() -> list[str]:
    """List the presets: the files of the folder presets."""
    return sorted(entry.name.removesuffix(".toml") for entry in _presets().iterdir() if entry.name.endswith(".toml"))


def _presets() -> Traversable:
    return files("asof.completion.training") / "presets"


def preset_settings(preset: str, dataset: str, scorer: str) -> tuple[str, dict[str, Any]]:
    """Return the protocol and the settings of a preset for a dataset and a scorer."""
    if preset not in preset_names():
        raise UserError(
            f"No preset is called {preset!r}.{did_you_mean(preset, preset_names())} Known: {', '.join(preset_names())}."
        )
    content = tomllib.loads(
        (files("asof.completion.training") / "presets" / f"{preset}.toml").read_text(encoding="utf-8")
    )
    protocol, common = content.pop("protocol"), content.pop("all")
    table = {name.casefold(): table for name, table in content.items()}.get(dataset.casefold(), {})
    of_scorers = {name: value for name, value in table.items() if isinstance(value, dict)}
    if scorer not in of_scorers:
        there = ", ".join(
            f"{known} with {' or '.join(name for name, value in one.items() if isinstance(value, dict))}"
            for known, one in content.items()
        )
        raise UserError(f"The preset {preset} has no settings for {dataset} with {scorer}. It has: {there}.")
    known = settings_of(scorer)  # a dataset may say what only some of its scorers have
    of_dataset = {name: value for name, value in table.items() if name in known}
    return protocol, {**common, **of_dataset, **of_scorers[scorer]}
