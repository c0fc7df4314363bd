"""A Pulumi program that breaks every rule of the policy pack; each object is named by the rule it breaks.

Written without this project's components: the pack judges what is sent, whoever sends it.
"""

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_kubernetes.apiextensions import CustomResource

# Manifests are only written to a folder, so that the API server has no say before the pack has.
render = kubernetes.Provider("render", render_yaml_to_directory="rendered")
OPTIONS = pulumi.ResourceOptions(provider=render)
AMOUNTS = {"cpu": "1", "memory": "1Gi"}


def container(**change):
    sound = {"name": "tensorflow", "image": "registry.example.org/ml/tf:2.1"}
    return sound | {"resources": {"requests": AMOUNTS, "limits": AMOUNTS}} | change


def tfjob(name, *, version="v1", replica=None, spec=None, namespace="team", **pod):
    pod = {"priorityClassName": "offline-low", "containers": [container()]} | pod
    worker = {"replicas": 1, "restartPolicy": "Never", "template": {"spec": pod}} | (replica or {})
    CustomResource(
        name,
        api_version=f"kubeflow.org/{version}",
        kind="TFJob",
        metadata={"name": name, "namespace": namespace},
        spec={"tfReplicaSpecs": {"Worker": {k: v for k, v in worker.items() if v is not None}}}
        | (spec or {}),
        opts=OPTIONS,
    )


def namespace(name, level="restricted"):
    labels = {"pod-security.kubernetes.io/enforce": level} if level else {}
    return kubernetes.core.v1.Namespace(name, metadata={"name": name, "labels": labels}, opts=OPTIONS)


def quota(name, namespace, **hard):
    hard = {key.replace("_", "."): value for key, value in hard.items()}
    kubernetes.core.v1.ResourceQuota(
        name, metadata={"name": name, "namespace": namespace}, spec={"hard": hard}, opts=OPTIONS
    )


namespace("team")
quota("team-quota", "team", requests_cpu="100")

tfjob("sound")
tfjob("offline-pods-state-resources", containers=[container(resources={})])
tfjob("offline-pods-have-an-offline-class", priorityClassName="online-high")
tfjob("offline-pods-state-a-restart-policy", replica={"restartPolicy": None})
tfjob(
    "gpu-pods-keep-to-their-pool",
    containers=[container(resources={"requests": AMOUNTS, "limits": AMOUNTS | {"nvidia.com/gpu": "1"}})],
)
tfjob("images-have-a-version", containers=[container(image="registry.example.org/ml/tf:latest")])
tfjob("images-from-allowed-registries", containers=[container(image="docker.io/somebody/tf:2.1")])
tfjob("pods-stay-off-the-node", hostNetwork=True)
tfjob("training-jobs-are-v1", version="v1beta1")
tfjob("training-jobs-have-no-ttl", spec={"runPolicy": {"ttlSecondsAfterFinished": 60}})
namespace("namespaces-have-pod-security", level=None)
quota("other-quota", "namespaces-have-pod-security", pods="10")
namespace("namespaces-have-a-quota")
kubernetes.core.v1.PersistentVolumeClaim(
    "claims-are-protected",
    metadata={"name": "data", "namespace": "somebody-elses"},
    spec={"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}},
    opts=OPTIONS,
)
kubernetes.core.v1.PersistentVolumeClaim(
    "namespaces-with-data-are-kept",
    metadata={"name": "more-data", "namespace": "team"},
    spec={"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}},
    opts=pulumi.ResourceOptions.merge(OPTIONS, pulumi.ResourceOptions(protect=True)),
)
kubernetes.apiextensions.v1.CustomResourceDefinition(
    "definitions-are-kept",
    metadata={"name": "widgets.example.org"},
    spec={
        "group": "example.org",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets"},
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
        ],
    },
    opts=OPTIONS,
)
kubernetes.scheduling.v1.PriorityClass(
    "offline-ranks-below-online",
    metadata={"name": "offline-high"},
    value=1000,
    preemption_policy="Never",
    opts=OPTIONS,
)
kubernetes.core.v1.ConfigMap(
    "no-secret-in-plain-text",
    metadata={"name": "settings", "namespace": "team"},
    data={"password": "hunter2hunter2"},
    opts=OPTIONS,
)
quota("jobs-within-quotas", "small", requests_cpu="1")
tfjob("large", namespace="small", replica={"replicas": 2})
quota("quotas-within-the-cluster", "vast", requests_cpu="100000")
