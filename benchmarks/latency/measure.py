"""Rounds of all settings, one after the other, each in an order of its own."""

from __future__ import annotations

import os
import platform
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.latency.cluster import Cluster
from benchmarks.latency.load import Answers, attack
from benchmarks.latency.settings import ONLINE_REQUESTS, SETTINGS, Setting
from sandbox import gomod, images, programs, pulumi, tools
from sandbox.errors import SandboxError
from sandbox.progress import Progress

WARM_UP_SECONDS = 2.0


@dataclass(frozen=True, kw_only=True)
class Round:
    """One setting, measured once."""

    setting: str
    answers: Answers
    examples_per_second: float | None
    """Of the training meanwhile; None where there was none."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How long and how often. Fields: rate in requests a second; seconds of each measurement."""

    rounds: int = 7
    seconds: float = 12.0
    rate: int = 100
    seed: int = 7


def run(chosen: Plan, settings: Sequence[Setting] = SETTINGS) -> list[Round]:
    """Measure on the sandbox, which is up and has the training operator; the stack's pods are left alone."""
    report = Progress()
    cluster = Cluster(pulumi.workspace(report).kubectl, images.reference("tensorflow"))
    vegeta = tools.ensure(["vegeta"], report)["vegeta"]
    order = random.Random(chosen.seed)
    found: list[Round] = []
    with cluster.serving() as url:
        for number in range(1, chosen.rounds + 1):
            for setting in order.sample(list(settings), len(settings)):
                found.append(_round(cluster, vegeta, url, setting, chosen))
                print(f"round {number} of {chosen.rounds}: {_line(found[-1])}", file=sys.stderr, flush=True)
    return found


def _round(cluster: Cluster, vegeta: Path, url: str, setting: Setting, chosen: Plan) -> Round:
    with cluster.training(setting):
        attack(vegeta, url, rate=chosen.rate, seconds=WARM_UP_SECONDS)
        answers = attack(vegeta, url, rate=chosen.rate, seconds=chosen.seconds)
        if answers.answered < 1:  # what is refused is refused fast
            raise SandboxError(f"{setting.name}: the service answered {answers.answered:.1%} of the requests")
        if not setting.trains:
            return Round(setting=setting.name, answers=answers, examples_per_second=None)
        time.sleep(1)  # until the training has told of the last moments
        pace = examples_per_second(cluster.progress(), answers.began, answers.ended)
        return Round(setting=setting.name, answers=answers, examples_per_second=pace)


def examples_per_second(progress: Sequence[tuple[float, int]], began: float, ended: float) -> float:
    """The pace between two moments; 0 where the training stood still."""
    within = [(at, examples) for at, examples in progress if began <= at <= ended]
    if len(within) < 2:
        return 0.0
    (first, before), (last, after) = within[0], within[-1]
    return (after - before) / (last - first)


def record(chosen: Plan, rounds: Sequence[Round]) -> dict[str, Any]:
    """Everything about a run, for a file."""
    return {
        "machine": {
            "processors": os.cpu_count(),
            "model": _processor(),
            "kernel": platform.release(),
            "kubernetes": gomod.version("kubernetes", programs.KUBERNETES),
            "image": images.reference("tensorflow"),
            "vegeta": gomod.version("vegeta", programs.VEGETA),
        },
        "plan": asdict(chosen) | {"online_cpu": ONLINE_REQUESTS["cpu"]},
        "settings": [asdict(setting) for setting in SETTINGS],
        "rounds": [asdict(one) for one in rounds],
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown"
    )


def _line(one: Round) -> str:
    a = one.answers
    pace = "" if one.examples_per_second is None else f", {one.examples_per_second:.0f} examples a second"
    return (
        f"{one.setting}: P50 {a.p50:.1f}, P95 {a.p95:.1f}, P99 {a.p99:.1f}, worst {a.worst:.1f} ms, "
        f"node {a.node_cpu:.0%}{pace}"
    )
