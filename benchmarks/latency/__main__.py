"""Measures on the sandbox, and writes the record of the run."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.latency import measure, results
from sandbox import cluster
from sandbox.errors import SandboxError


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.latency", description=__doc__)
    chosen = measure.Plan()
    parser.add_argument("--rounds", type=int, default=chosen.rounds, help="of each setting")
    parser.add_argument("--seconds", type=float, default=chosen.seconds, help="of each measurement")
    parser.add_argument("--rate", type=int, default=chosen.rate, help="requests a second")
    parser.add_argument("--out", type=Path, default=Path(".colocation/latency.json"), help="file of the run")
    args = parser.parse_args(arguments)
    if not cluster.status().up:
        print("the sandbox is down: run `make up` first", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was put on the cluster is removed
    plan = measure.Plan(rounds=args.rounds, seconds=args.seconds, rate=args.rate)
    try:
        found = measure.record(plan, measure.run(plan))
    except SandboxError as fault:
        print(fault, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; everything that the benchmark made is removed", file=sys.stderr)
        return 130
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(found, indent=1) + "\n")
    print(results.table(results.summaries(found)), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
