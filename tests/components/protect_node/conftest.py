"""A node that the program of node protection runs on."""

import pytest

from tests.components.protect_node.control_groups import LAYOUTS, Node


@pytest.fixture(params=LAYOUTS)
def node(request, tmp_path):
    return Node(tmp_path, request.param)


@pytest.fixture
def one(tmp_path):
    """A node of the commonest layout, with the pod that protects it."""
    found = Node(tmp_path, "v2, systemd")
    found.run("0f4e0c52-5a0b-4b63-9d3b-6f1f6c1a7a03")
    return found
