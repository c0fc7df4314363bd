"""Without a kubeconfig there is one sentence, and no provider that fails on a path."""

import pytest

from components.cluster_access import NoClusterError, require_kubeconfig


def test_a_kubeconfig_that_is_there_will_do(tmp_path):
    file = tmp_path / "config"
    file.touch()
    require_kubeconfig({"KUBECONFIG": str(file)})
    require_kubeconfig({"KUBECONFIG": f"{tmp_path / 'absent'}:{file}"})


def test_the_usual_place_will_do(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(NoClusterError, match=f"{tmp_path}/.kube/config is not there; set KUBECONFIG"):
        require_kubeconfig({})
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").touch()
    require_kubeconfig({"KUBECONFIG": ""})


def test_a_pod_of_the_cluster_needs_none(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    require_kubeconfig({"KUBERNETES_SERVICE_HOST": "10.0.0.1"})


def test_a_path_that_leads_nowhere_is_named():
    with pytest.raises(NoClusterError, match="KUBECONFIG is /nonexistent, and no such file"):
        require_kubeconfig({"KUBECONFIG": "/nonexistent"})
