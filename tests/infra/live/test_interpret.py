"""Objects as the API serves them, and what is made of them."""

import pytest

from infra.cluster import objects
from infra.live import interpret

OURS = [
    {"manager": "colocation-dev", "operation": "Apply"},
    {"manager": "kubectl-label", "operation": "Update"},
]
THEIRS = [{"manager": "kubectl-create", "operation": "Update"}]


def deployment(name="x", *, image="example/x:1", args=(), env=(), labels=None, pod_labels=None, status=None):
    container = {"image": image, "command": ["/manager"], "args": list(args), "env": list(env)}
    return {
        "metadata": {"name": name, "namespace": "ns", "labels": labels, "managedFields": THEIRS},
        "spec": {"template": {"metadata": {"labels": pod_labels}, "spec": {"containers": [container]}}},
        "status": status or {},
    }


LABEL = {"control-plane": "kubeflow-training-operator"}


@pytest.mark.parametrize(
    "found",
    [
        deployment("training-operator"),
        deployment("tf-job-operator"),
        deployment(labels=LABEL),
        deployment(pod_labels=LABEL),
        deployment(image="ghcr.io/kubeflow/training-v1/training-operator:v1-93c5489"),
        deployment(image="registry.example:5000/mirror/training-operator@sha256:abc"),
        deployment(image="gcr.io/kubeflow-images-public/tf_operator:v0.5.1"),
    ],
)
def test_an_operator_is_known_by_name_label_or_image(found):
    [operator] = interpret.operators([deployment("other"), found])
    assert operator.name == found["metadata"]["name"]
    assert operator.others == ("kubectl-create",)


def test_the_second_generation_of_the_operator_serves_no_tfjobs_and_is_none():
    image = "ghcr.io/kubeflow/trainer/trainer-controller-manager:v2.0.0"
    assert interpret.operators([deployment("kubeflow-trainer-controller-manager", image=image)]) == ()


@pytest.mark.parametrize(
    ("args", "serves"),
    [
        ([], True),
        (["--enable-scheme=tfjob", "--enable-scheme=mpijob"], True),
        (["-enable-scheme", "TFJob"], True),
        (["--enable-scheme=pytorchjob"], False),
        (["--enable-scheme"], False),
    ],
)
def test_its_arguments_say_which_jobs_it_serves(args, serves):
    [operator] = interpret.operators([deployment("training-operator", args=args)])
    assert operator.serves_tfjobs is serves


@pytest.mark.parametrize(
    ("args", "env", "watches"),
    [
        ([], [], None),
        (["--namespace=a"], [], "a"),
        (["--namespace", "a"], [], "a"),
        ([], [{"name": "KUBEFLOW_NAMESPACE", "value": "a"}], "a"),
        ([], [{"name": "MY_POD_NAMESPACE", "valueFrom": {}}], None),
        (["--leader-election-namespace=a"], [], None),
    ],
)
def test_its_arguments_say_which_namespace_it_watches(args, env, watches):
    [operator] = interpret.operators([deployment("training-operator", args=args, env=env)])
    assert operator.watches == watches


def test_its_ready_pods_are_counted():
    found = [deployment("training-operator"), deployment("tf-operator", status={"readyReplicas": 2})]
    assert [operator.ready for operator in interpret.operators(found)] == [0, 2]


@pytest.mark.parametrize(
    ("metadata", "others"),
    [
        ({"managedFields": OURS}, ()),
        ({"managedFields": THEIRS}, ("kubectl-create",)),
        ({"managedFields": [*THEIRS, {"manager": "kubelet", "subresource": "status"}]}, ("kubectl-create",)),
        ({}, ("someone else",)),
        ({"managedFields": OURS, "annotations": {"meta.helm.sh/release-name": "x"}}, ("Helm",)),
        ({"managedFields": OURS, "labels": {"argocd.argoproj.io/instance": "x"}}, ("Argo CD",)),
        ({"managedFields": OURS, "labels": {"kustomize.toolkit.fluxcd.io/name": "x"}}, ("Flux",)),
        ({"managedFields": OURS, "ownerReferences": [{"kind": "Profile", "name": "a"}]}, ("Profile a",)),
    ],
)
def test_an_object_is_pulumis_unless_pulumi_never_touched_it_or_a_tool_claims_it(metadata, others):
    assert interpret.others(metadata) == others


@pytest.mark.parametrize(
    ("text", "version"),
    [("v1.34.4", (1, 34)), ("v1.27.3-gke.100", (1, 27)), ("v1.30.0+k3s1", (1, 30)), ("?", (0, 0))],
)
def test_a_version_is_read_as_providers_write_it(text, version):
    assert interpret.version({"gitVersion": text}) == version


def configuration(*, group="kubeflow.org", resource="tfjobs", operation="CREATE", **webhook):
    rule = {"apiGroups": [group], "resources": [resource], "operations": [operation]}
    service = {"service": {"namespace": "ns", "name": "svc"}}
    plain = {"name": "a.training-operator.kubeflow.org", "clientConfig": service, "rules": [rule]}
    return {"metadata": {"name": "c", "managedFields": THEIRS}, "webhooks": [plain | webhook]}


@pytest.mark.parametrize(
    "rule", [{}, {"group": "*", "resource": "*"}, {"operation": "*"}, {"resource": "*/*"}]
)
def test_a_webhook_that_new_tfjobs_are_sent_to_counts(rule):
    [(found, webhook)] = interpret.asked_about_tfjobs([configuration(**rule)])
    made = interpret.webhook(found, webhook, True)
    assert (made.configuration, made.namespace, made.service) == ("c", "ns", "svc")
    assert (made.of_an_operator, made.blocks, made.others) == (True, True, ("kubectl-create",))


@pytest.mark.parametrize(
    "other",
    [
        configuration(group="batch"),
        configuration(resource="pytorchjobs"),
        configuration(resource="tfjobs/status"),
        configuration(operation="DELETE"),
        configuration(clientConfig={"url": "https://webhooks.example"}),
        configuration(rules=None),
        {"metadata": {"name": "empty"}},
    ],
)
def test_other_webhooks_do_not(other):
    assert list(interpret.asked_about_tfjobs([other])) == []


def test_a_webhook_of_something_else_may_fail():
    [(found, webhook)] = interpret.asked_about_tfjobs(
        [configuration(name="mtfjob.kb.io", failurePolicy="Ignore")]
    )
    made = interpret.webhook(found, webhook, None)
    assert (made.of_an_operator, made.blocks) == (False, False)


@pytest.mark.parametrize(
    ("endpoints", "ready"),
    [
        (None, False),
        ([], False),
        ([{"conditions": {"ready": False}}], False),
        ([{"conditions": {"ready": False}}, {"conditions": {"ready": True}}], True),
        ([{"addresses": ["10.0.0.1"]}], True),
    ],
)
def test_an_endpoint_is_ready_unless_it_says_that_it_is_not(endpoints, ready):
    assert objects.has_ready_endpoint({"endpoints": endpoints}) is ready


def test_a_crd_tells_what_it_serves_and_stores():
    versions = [{"name": "v1", "served": True}, {"name": "v1beta1", "served": False}]
    found = interpret.crd(
        {"metadata": {}, "spec": {"versions": versions}, "status": {"storedVersions": ["v1"]}}
    )
    assert (found.served, found.stored) == (("v1",), ("v1",))


def test_nodes_come_by_name_and_without_what_nobody_asks_about():
    items = [
        {
            "metadata": {"name": "b"},
            "spec": {"taints": [{"key": "a"}]},
            "status": {"images": [1], "allocatable": {"cpu": "1"}},
        },
        {"metadata": {"name": "a"}, "spec": {}, "status": {}},
    ]
    first, second = interpret.nodes(items)
    assert first == {"metadata": {"name": "a"}, "spec": {"taints": []}, "status": {"allocatable": {}}}
    assert second["spec"] == {"taints": [{"key": "a"}]}
    assert second["status"] == {"allocatable": {"cpu": "1"}}


@pytest.mark.parametrize(
    ("annotations", "release"),
    [
        ({}, None),
        ({"meta.helm.sh/release-name": "kps", "meta.helm.sh/release-namespace": "obs"}, "obs/kps"),
    ],
)
def test_a_prometheus_operator_is_known_by_its_image_and_says_its_release(annotations, release):
    image = "registry.example/mirror/prometheus-operator:v0.93.1"
    found = deployment("kps-operator", image=image, status={"readyReplicas": 1})
    found["metadata"]["annotations"] = annotations
    [operator] = interpret.prometheus_operators([deployment("other"), found])
    assert (operator.name, operator.ready, operator.release) == ("kps-operator", 1, release)


@pytest.mark.parametrize(("said", "version"), [("0.93.1", (0, 93, 1)), ("v0.65.0", (0, 65, 0)), ("x", None)])
def test_a_definition_says_of_which_operator_it_is(said, version):
    annotations = {"operator.prometheus.io/version": said}
    found = interpret.monitoring_crd({"metadata": {"name": "podmonitors", "annotations": annotations}})
    assert found.operator == version


def test_a_definition_without_annotations_says_nothing():
    assert interpret.monitoring_crd({"metadata": {"name": "podmonitors"}}).operator is None
