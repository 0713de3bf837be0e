"""``asof run --dry-run``: how many items, calls and tokens, and what they would cost."""

from typing import Any

from asof.api.any_model import with_documents
from asof.benchmarks import Benchmark
from asof.cli.output import counted
from asof.models import Model
from asof.probes import Probe
from asof.runs.dry_run import would_ask
from asof.runs.runner import fit_items
from asof.runs.spending import PriceTable


def what_would_be_asked(
    benchmark: Benchmark, model: Model, probe: Probe, limit: int | None, table: PriceTable, named: str
) -> dict[str, Any]:
    """Count what would be asked, of the items for which a run has still to be made."""

    def around(inner: Model) -> Model:
        return with_documents(inner, benchmark, probe)

    fit = fit_items(benchmark, around(model), probe, limit=limit)
    told: dict[str, Any] = {"items": len(fit.items), "left_out": str(fit), "model": model.name}
    asks = would_ask(fit.items, model, probe, around)
    if asks:
        used, price = asks.scaled, table.of(named)
        told |= {"calls": used.calls, "tokens_in": used.tokens_in, "tokens_out_at_most": used.tokens_out}
        if price and hasattr(model, "items_at_once"):
            told |= {"dollars_at_most": round(price.of(used), 4), "prices_of": table.valid_on}
        told["counted_by"] = str(getattr(model, "counted_by", "") or "the model's own tokens")
    return told


def in_sentences(estimate: dict[str, Any]) -> str:
    """Say it to a person."""
    text = counted(estimate["items"], "item")
    if "calls" in estimate:
        text += f", {counted(estimate['calls'], 'call')}, about {estimate['tokens_in']:,} tokens in"
        text += f" and at most {estimate['tokens_out_at_most']:,} out" if estimate["tokens_out_at_most"] else ""
    if "dollars_at_most" in estimate:
        text += f", at most ${estimate['dollars_at_most']:,.2f} at the prices of {estimate['prices_of']}"
    return f"{text}, for {estimate['model']}; nothing was run.\n{estimate['left_out']}".strip()
