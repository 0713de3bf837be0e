"""Added facts that tell what a known fact lacked: the model has one fact then, not two."""

from pathlib import Path

import pytest

from asof.api.base import open_base
from asof.completion.dataset import AFTER_ALL, Dataset, read_dataset
from asof.completion.forecast.past_view import PastView
from asof.completion.time_split import split_by_time
from asof.completion.trained.adding import add_facts
from asof.completion.trained.filled_dates import rows_of
from asof.completion.trained.folder import TrainedModel, open_trained, train_into
from asof.completion.trained.freshness import freshness_of_folder
from asof.completion.trained.proposals import review_of
from asof.completion.training.plan import CompletionPlan

Rows = list[dict[str, str]]
OPEN = [("1960", ""), ("", "1990"), ("2000", "present")]
TOLD = [("1960", "1964"), ("1985", "1990"), ("2000", "2003")]


def row(ship: str, captain: str, start: str, end: str) -> dict[str, str]:
    return {"subject": ship, "relation": "captain", "object": captain, "start": start, "end": end}


def ships(dates: list[tuple[str, str]]) -> Rows:
    """Return a fleet, and one ship whose captains have these dates."""
    fleet = [
        row(f"Ship {n}", f"Captain {n}-{term}", str(1950 + n % 4 + 4 * term), str(1954 + n % 4 + 4 * term))
        for n in range(12)
        for term in range(5)
    ]
    return [*fleet, *(row("Aurora", f"Master {number}", *ends) for number, ends in enumerate(dates))]


def trained_on(rows: Rows, folder: Path, *, forecast: bool = False) -> TrainedModel:
    base = open_base(rows).store.folder
    dataset = read_dataset(base)
    if forecast:
        dataset = split_by_time(dataset).dataset
    plan = CompletionPlan.of("timeplex-base", {"rank": 4, "epochs": 1})
    return train_into(folder, plan, dataset, base)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TrainedModel:
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "cache"))
    return trained_on(ships(OPEN), tmp_path / "model")


def of_aurora(dataset: Dataset) -> list[tuple[int, int]]:
    aurora = dataset.entities.index("Aurora")
    return sorted(fact[3:] for fact in rows_of(dataset.all_facts) if fact[0] == aurora)  # type: ignore[misc]


def proposed_for_aurora(model: TrainedModel) -> int:
    aurora = model.dataset.entities.index("Aurora")
    return sum(one.subject == aurora and one.what != "object" for one in review_of(model).proposals)


def test_a_date_that_is_told_is_filled_in_and_not_proposed_again(model: TrainedModel) -> None:
    assert proposed_for_aurora(model) == 2
    sizes = len(model.dataset.train), len(model.dataset.valid), len(model.dataset.test)
    found = add_facts(model, open_base(ships(TOLD)).store)
    assert (found.facts, found.known) == (3, 60)
    for one in (found.trained, open_trained(model.folder)):
        assert of_aurora(one.dataset) == [(1960, 1964), (1985, 1990), (2000, 2003)]
        assert (len(one.dataset.train), len(one.dataset.valid), len(one.dataset.test)) == sizes
        assert proposed_for_aurora(one) == 0
        now = PastView.on(one.dataset, 2010)
        assert (now.end[now.entity == one.dataset.entities.index("Aurora")] < AFTER_ALL).all()


def test_what_is_known_with_both_dates_is_not_news_without_one(model: TrainedModel) -> None:
    add_facts(model, open_base(ships(TOLD)).store)
    found = freshness_of_folder(model.folder, model.about)
    assert (found.added, found.newer) == (3, 0) and found.trained_to == "2000"
    assert add_facts(open_trained(model.folder), open_base(ships(OPEN)).store).facts == 0


def test_an_added_fact_gets_its_end_from_one_that_is_added_later(model: TrainedModel) -> None:
    for start, end in (("2005", ""), ("2005", "2008")):
        found = add_facts(open_trained(model.folder), open_base([row("Aurora", "Nina", start, end)]).store)
        assert found.facts == 1
    for one in (found.trained, open_trained(model.folder)):
        assert [dates for dates in of_aurora(one.dataset) if dates[0] == 2005] == [(2005, 2008)]


def test_an_added_fact_that_goes_on_gets_no_end_proposed(model: TrainedModel) -> None:
    add_facts(model, open_base([row("Aurora", "Nina", "1961", "present")]).store)
    again = open_trained(model.folder)
    nina = again.dataset.entities.index("Nina")
    assert all(one.object != nina for one in review_of(again).proposals)
    aurora = again.dataset.entities.index("Aurora")
    then = PastView.on(again.dataset, 1970)
    assert nina in then.answer[then.present(aurora, 0)]


def test_a_forecast_takes_in_what_came_to_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "cache"))
    model = trained_on(ships(TOLD), tmp_path / "model", forecast=True)
    assert model.dataset.later_ends is not None
    more = add_facts(model, open_base([row("Aurora", "Nina", "2005", "2008")]).store).trained
    then = PastView.on(more.dataset, 2006)
    assert more.dataset.entities.index("Nina") in then.answer[then.present(more.dataset.entities.index("Aurora"), 0)]
