"""What a check of a large stack costs, and how soon help is there."""

import subprocess
import sys
import time

import pytest
import yaml

from infra.places import ROOT

_MEASURED = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "infra.cli", *sys.argv[1:]], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def cost(*arguments):
    """Exit code, seconds on the clock, seconds of processor, MiB at most."""
    start = time.perf_counter()
    command = [sys.executable, "-c", _MEASURED, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    code, processor_seconds, mebibytes = done.stdout.split()
    return int(code), time.perf_counter() - start, float(processor_seconds), float(mebibytes)


@pytest.fixture
def thousand(data):
    """A stack of a thousand distributed jobs."""
    amounts = {"requests": {"cpu": "250m", "memory": "768Mi"}, "limits": {"cpu": 1, "memory": "2Gi"}}
    job = data["jobs"][0] | {
        "args": ["--steps", "100"],
        "env": {"A": "1", "B": "2"},
        "chief": {"resources": amounts},
        "worker": {"replicas": 2, "resources": amounts | {"gpus": 1}},
        "ps": {"resources": amounts},
        "run_policy": {"backoff_limit": 4, "clean_pod_policy": "All"},
    }
    data["jobs"] = [job | {"name": f"job-{i}"} for i in range(1000)]
    return data


class Plain(yaml.SafeDumper):
    """Writes everything out, as people do."""

    def ignore_aliases(self, data):
        return True


def text(data):
    return yaml.dump(data, Dumper=Plain, sort_keys=False)


# Two seconds are the aim. The clock of a machine that does something else as well says nothing, and its
# processor time grows too.
def test_a_thousand_jobs_are_checked_in_two_seconds_and_200_mebibytes(stack_file, thousand):
    code, _, processor_seconds, mebibytes = cost("check", "--file", str(stack_file(text(thousand))))
    assert code == 0
    assert processor_seconds < 5
    assert mebibytes < 200


def test_a_thousand_faulty_jobs_are_told_as_quickly(stack_file, thousand):
    for job in thousand["jobs"]:
        job |= {"gpus": 1, "pool": "gpus", "tenant": "visoin"}
    thousand["jobs"] += [{"name": "last"}]
    code, _, processor_seconds, mebibytes = cost("check", "--file", str(stack_file(text(thousand))))
    assert code == 1
    assert processor_seconds < 6
    assert mebibytes < 250


def test_help_is_there_at_once():
    assert min(cost("--help")[2] for _ in range(3)) < 0.3
