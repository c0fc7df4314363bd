"""kube-state-metrics is told to show which job a pod is of, and how each TFJob stands."""

from components.rendering.monitoring import state_metrics


def test_pods_show_their_job_and_nodes_their_pool():
    pods, nodes = state_metrics.label_allowlist()
    assert pods.startswith("pods=[")
    assert "training.kubeflow.org/job-name" in pods
    assert nodes.startswith("nodes=[")
    assert "colocation.io/pool" in nodes


def test_each_condition_of_a_tfjob_is_a_series():
    [tfjobs] = state_metrics.custom_resource_state()["spec"]["resources"]
    assert tfjobs["groupVersionKind"] == {"group": "kubeflow.org", "version": "v1", "kind": "TFJob"}
    names = {f"{tfjobs['metricNamePrefix']}_{metric['name']}": metric for metric in tfjobs["metrics"]}
    gauge = names["kube_tfjob_status_condition"]["each"]["gauge"]
    labels = tfjobs["labelsFromPath"].keys() | gauge["labelsFromPath"].keys()
    assert labels == {"tfjob", "namespace", "condition", "reason"}


def test_its_role_may_read_what_it_shows():
    [rule] = state_metrics.custom_resource_rules()
    assert rule == {"apiGroups": ["kubeflow.org"], "resources": ["tfjobs"], "verbs": ["list", "watch"]}
