"""Where the pods of a job may go."""

from infra.models import PoolSpec
from tests.components.jobs import pod, rendered

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def test_a_pod_goes_to_its_pool_and_tolerates_its_taints_and_those_of_others():
    assert pod(rendered())["nodeSelector"] == {"colocation.io/pool": "gpu", "node-type": "gpu"}
    assert pod(rendered())["tolerations"] == [
        {"key": "gpu", "operator": "Equal", "value": "reserved", "effect": "NoSchedule"},
        {"key": "other", "operator": "Equal", "value": "x", "effect": "NoExecute"},
    ]


def test_a_job_without_a_pool_goes_anywhere_and_tolerates_nothing():
    spec = pod(rendered(pool=None))
    for field in ("nodeSelector", "tolerations", "affinity", "topologySpreadConstraints"):
        assert field not in spec


def test_a_pool_without_taints_needs_no_toleration():
    bare = PoolSpec.model_validate({"name": "cpu", "nodes": ["n1"]})
    spec = pod(rendered(pool=bare))
    assert spec["nodeSelector"] == {"colocation.io/pool": "cpu"}
    assert "tolerations" not in spec


def test_roles_without_gpus_stay_off_the_pool_whose_gpus_the_others_use():
    spec = rendered(ps={})
    assert "nodeSelector" in pod(spec, "Worker")
    assert "nodeSelector" not in pod(spec, "PS")
    assert "tolerations" not in pod(spec, "PS")


def test_all_roles_of_a_job_without_gpus_go_to_its_pool():
    spec = rendered(worker={}, ps={})
    assert "nodeSelector" in pod(spec, "Worker")
    assert "nodeSelector" in pod(spec, "PS")


def test_labels_and_tolerations_of_the_job_hold_for_every_role_beside_the_pools():
    toleration = {"key": "spot", "operator": "Exists", "effect": "NoExecute", "toleration_seconds": 0}
    spec = rendered(ps={}, node_selector={"disk": "ssd"}, tolerations=[toleration])
    expected = {"key": "spot", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0}
    assert pod(spec)["nodeSelector"] == {
        "colocation.io/pool": "gpu",
        "node-type": "gpu",
        "disk": "ssd",
    }
    assert pod(spec)["tolerations"][-1] == expected
    assert pod(spec, "PS")["nodeSelector"] == {"disk": "ssd"}
    assert pod(spec, "PS")["tolerations"] == [expected]


def test_a_toleration_of_every_taint_says_no_key():
    assert pod(rendered(pool=None, tolerations=[{"operator": "Exists"}]))["tolerations"] == [
        {"operator": "Exists"}
    ]


def test_an_empty_value_is_a_value():
    spec = rendered(pool=None, tolerations=[{"key": "k", "value": ""}])
    assert pod(spec)["tolerations"] == [{"key": "k", "operator": "Equal", "value": ""}]


def test_only_roles_with_gpus_care_for_the_model():
    spec = rendered(ps={}, gpu_model="A100")
    assert pod(spec)["nodeSelector"]["nvidia.com/gpu.product"] == "A100"
    assert "nodeSelector" not in pod(spec, "PS")


def test_musts_about_nodes_all_hold_and_wishes_are_weighed():
    terms = [
        {"key": "zone", "values": ["a", "b"]},
        {"key": "spot", "operator": "DoesNotExist"},
        {"key": "disk", "values": ["ssd"], "weight": 10},
    ]
    assert pod(rendered(affinity={"node_affinity": terms}))["affinity"] == {
        "nodeAffinity": {
            REQUIRED: {
                "nodeSelectorTerms": [
                    {
                        "matchExpressions": [
                            {"key": "zone", "operator": "In", "values": ["a", "b"]},
                            {"key": "spot", "operator": "DoesNotExist"},
                        ]
                    }
                ]
            },
            PREFERRED: [
                {
                    "weight": 10,
                    "preference": {
                        "matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]
                    },
                }
            ],
        }
    }


def test_without_musts_nodes_are_only_preferred():
    terms = [{"key": "disk", "values": ["ssd"], "weight": 10}]
    assert list(pod(rendered(affinity={"node_affinity": terms}))["affinity"]["nodeAffinity"]) == [PREFERRED]


def test_pods_are_drawn_to_some_pods_and_kept_away_from_others():
    affinity = {
        "pod_affinity": [{"labels": {"app": "cache"}, "topology_key": "zone", "weight": 5}],
        "pod_anti_affinity": [{"labels": {"app": "online"}}],
    }
    assert pod(rendered(affinity=affinity))["affinity"] == {
        "podAffinity": {
            PREFERRED: [
                {
                    "weight": 5,
                    "podAffinityTerm": {
                        "labelSelector": {"matchLabels": {"app": "cache"}},
                        "topologyKey": "zone",
                    },
                }
            ]
        },
        "podAntiAffinity": {
            REQUIRED: [
                {
                    "labelSelector": {"matchLabels": {"app": "online"}},
                    "topologyKey": "kubernetes.io/hostname",
                }
            ]
        },
    }


def test_pods_are_spread_among_those_of_their_own_job():
    [spread] = pod(rendered(topology_spread=[{"topology_key": "zone", "max_skew": 2}]))[
        "topologySpreadConstraints"
    ]
    assert spread == {
        "maxSkew": 2,
        "topologyKey": "zone",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": {"training.kubeflow.org/operator-name": "tfjob-controller"}},
        # Of those, the ones whose label is the pod's own: a run of a schedule has a name of its own.
        "matchLabelKeys": ["training.kubeflow.org/job-name"],
    }
