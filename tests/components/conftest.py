"""Nodes in memory, behind the provider that marks them."""

import pytest

from components import node_marks
from components.node_marks import NodeMarksProvider
from tests.components.fake_cluster import FakeCluster
from tests.components.marks import FAKE


@pytest.fixture
def cluster(monkeypatch):
    cluster = FakeCluster()
    monkeypatch.setattr(node_marks, "ClusterNodes", lambda asker: cluster)
    monkeypatch.setattr(node_marks.time, "sleep", lambda seconds: None)
    for name in ("n1", "n2", "n3"):
        cluster.join(name, FAKE)
    return cluster


@pytest.fixture
def provider():
    return NodeMarksProvider()
