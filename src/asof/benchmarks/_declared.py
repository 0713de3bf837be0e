"""What a benchmark says of itself beside its items: how it is asked, scored and shown.

Everything after a run looks it up here by the name of the benchmark, so that a benchmark in an outside package has the
same rights as ours.
"""

from dataclasses import dataclass, fields

from asof.errors import UserError
from asof.registry import benchmarks


@dataclass(frozen=True)
class BenchmarkDeclaration:
    """Attributes that the class of a benchmark may have, with what is taken where it has none.

    Args:
        probe: The probe that its items are put with, unless the user names another.
        probes: All that its items are made for, the best one first.
        score_with: The name of a part of ``asof.runs.scores``, or the names of metrics that take a text and all
            accepted answers, for runs with its probe; without either, the measures of the probe.
        known_from: The tag that says since when the answers of an item are right: from then on a model can know them.
        report_with: The name of a part of ``asof.reports.pages``.
    """

    probe: str = ""
    probes: tuple[str, ...] = ()
    score_with: str | tuple[str, ...] = ()
    report_with: str = "items"
    known_from: str = ""


def declared(name: str) -> BenchmarkDeclaration:
    """Look up what a benchmark declares; of one that is not installed nothing is known.

    >>> declared("templama").report_with, declared("of a package that is not here").report_with
    ('dynamic-templama', 'items')
    """
    try:
        kind = benchmarks.get(name)
    except UserError:
        return BenchmarkDeclaration()
    return BenchmarkDeclaration(
        **{one.name: getattr(kind, one.name) for one in fields(BenchmarkDeclaration) if hasattr(kind, one.name)}
    )
