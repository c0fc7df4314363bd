"""Small valid pieces of a stack, each test changes one thing of."""

import pytest

from infra.models import JobSpec


@pytest.fixture
def job():
    """Builds a job, valid unless a change makes it otherwise."""

    def build(**change):
        base = {
            "name": "mnist",
            "tenant": "vision",
            "priority": "offline-low",
            "image": "registry.example/mnist:1.4",
            "worker": {"replicas": 2},
        }
        return JobSpec.model_validate(base | change)

    return build
