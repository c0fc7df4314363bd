"""What the rounds of a run say together: medians, spread, and each setting beside no training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

PERCENTILES = {"p50": "P50", "p95": "P95", "p99": "P99", "worst": "worst"}


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Of one figure over all rounds."""

    median: float
    lowest: float
    highest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(median=median(values), lowest=min(values), highest=max(values))


@dataclass(frozen=True, kw_only=True)
class Summary:
    """One setting. Latencies in milliseconds; shares of 1."""

    name: str
    title: str
    rounds: int
    latency: Mapping[str, Spread]
    """By percentile, as PERCENTILES names them."""
    times_alone: float
    """The median P99 by that without training."""
    node_cpu: Spread
    examples_per_second: Spread | None


def summaries(record: Mapping[str, Any]) -> list[Summary]:
    """Those of a run's file, by its own settings, which may be others than today's."""
    settings, rounds = record["settings"], record["rounds"]
    by_name = {s["name"]: [one for one in rounds if one["setting"] == s["name"]] for s in settings}
    alone = median(one["answers"]["p99"] for one in by_name["alone"])
    return [
        Summary(
            name=setting["name"],
            title=setting["title"],
            rounds=len(found),
            latency={key: Spread.of([one["answers"][key] for one in found]) for key in PERCENTILES},
            times_alone=median(one["answers"]["p99"] for one in found) / alone,
            node_cpu=Spread.of([one["answers"]["node_cpu"] for one in found]),
            examples_per_second=(
                Spread.of([one["examples_per_second"] for one in found]) if setting["trains"] else None
            ),
        )
        for setting in settings
        if (found := by_name[setting["name"]])
    ]


def table(found: Sequence[Summary]) -> str:
    """In Markdown: medians, with the lowest and the highest round in brackets."""
    heads = ["setting", *(f"{name}, ms" for name in PERCENTILES.values())]
    heads += ["P99 / without training", "node's CPU", "examples a second"]
    rows = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for one in found:
        pace = one.examples_per_second
        rows.append(
            [
                one.title,
                *(_spread(one.latency[key], ".1f") for key in PERCENTILES),
                f"{one.times_alone:.2f}",
                _spread(one.node_cpu, ".0%"),
                _spread(pace, ".0f") if pace is not None else "",
            ]
        )
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def page(record: Mapping[str, Any], chart: str) -> str:
    """The part of docs/results.md; `chart`: where its picture is, as seen from there."""
    found, plan, machine = summaries(record), record["plan"], record["machine"]
    return (
        "## Answers beside training: `make bench-latency`\n\n"
        f"{plan['rounds']} rounds of each setting, interleaved; {plan['rate']} "
        f"requests a second for {plan['seconds']:.0f} s each, sent whether or not earlier ones are answered. "
        "Medians, and in brackets the lowest and the highest round.\n\n"
        f"The service requests {plan['online_cpu']} CPU.\n\n"
        f"{table(found)}\n"
        f"![P99 of each setting]({chart})\n\n"
        f"{machine['processors']} processors ({machine['model']}), Linux {machine['kernel']}, Kubernetes "
        f"{machine['kubernetes']}, {machine['image']}, vegeta {machine['vegeta']}. The control plane runs on "
        "the same processors.\n"
    )


def chart(found: Sequence[Summary]) -> str:
    """P99 of each setting with its spread, as SVG."""
    from infra.report.plots import ONLINE, Series, bars  # needs matplotlib, which a measurement does not

    p99 = [one.latency["p99"] for one in found]
    series = Series(
        name="P99",
        values=[one.median for one in p99],
        spread=[(one.lowest, one.highest) for one in p99],
        colour=ONLINE,
    )
    return bars("latency-p99", "P99 of the service by setting", [s.name for s in found], [series], y="ms")


def _spread(of: Spread, form: str) -> str:
    return f"{of.median:{form}} ({of.lowest:{form}} to {of.highest:{form}})"
