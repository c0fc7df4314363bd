"""A stack with one CPU job, to weigh against quota, LimitRange and nodes."""

import pytest

from infra.checks import examine


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
    """What is found in a stack, by code and place."""

    def look(data):
        return [(finding.code, finding.place) for finding in examine(subject(data))]

    return look


@pytest.fixture
def one(subject):
    """The only finding in a stack."""

    def look(data):
        findings = examine(subject(data))
        assert len(findings) == 1, findings
        return findings[0]

    return look
