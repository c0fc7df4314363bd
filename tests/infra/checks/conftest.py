"""A CPU job, and what is found by the checks that weigh jobs against what there is."""

import pytest

from infra.checks import (
    limit_ranges,
    nodes,
    pools,
    priorities,
    quota,
    references,
    resources,
    selectors,
)

WEIGHING = (priorities, pools, references, resources, limit_ranges, quota, nodes, selectors)


def weighed(subject):
    return tuple(finding for of in WEIGHING for finding in of.check(subject))


@pytest.fixture
def cpu_job():
    """A job of one worker, as data; without a pool."""

    def job(name="j", **change):
        return {
            "name": name,
            "tenant": "vision",
            "priority": "offline-low",
            "image": "registry.example/mnist:1.4",
            "worker": {"resources": {"requests": {"cpu": "1", "memory": "1Gi"}}},
        } | change

    return job


@pytest.fixture
def found(subject):
    """What is found when the jobs of a stack are weighed, by code and place."""

    def look(data):
        return [(finding.code, finding.place) for finding in weighed(subject(data))]

    return look


@pytest.fixture
def one(subject):
    """The only finding when the jobs of a stack are weighed."""

    def look(data):
        findings = weighed(subject(data))
        assert len(findings) == 1, findings
        return findings[0]

    return look
