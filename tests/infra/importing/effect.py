"""What a TFJob comes to: defaults filled in, order that means nothing taken out, and intent set apart."""

import copy

from components.rendering.tfjob import tfjob_manifest
from infra.importing.fields import cleaned
from infra.models import JobSpec
from infra.models.quantities import amount

_ROLES = {"master": "chief"}
_CPUS = {"resourceFieldRef": {"resource": "limits.cpu"}}
_OURS = {
    "HOME": "/tmp",
    "OMP_NUM_THREADS": _CPUS,
    "TF_NUM_INTRAOP_THREADS": _CPUS,
    "NVIDIA_VISIBLE_DEVICES": "none",
}


def rendered(entry):
    """The TFJob that a stack makes of an entry."""
    job = JobSpec.model_validate(entry)
    return tfjob_manifest(job, job.tenant, priority_class=job.priority)


def effect(job):
    """The same for every manifest that has the same effect, but for what a stack does by intent."""
    spec = cleaned(copy.deepcopy(job))[0]["spec"]
    policy = {"cleanPodPolicy": "Running", "suspend": False, **spec.get("runPolicy", {})}
    policy.pop("managedBy", None)
    roles = {}
    for key, replica in spec["tfReplicaSpecs"].items():
        role = _ROLES.get(key.lower(), key.lower())
        template = replica["template"]
        restart = replica.get("restartPolicy") or template["spec"].get("restartPolicy", "Never")
        roles[role] = (replica.get("replicas", 1), restart, _pod(template["spec"]))
    dynamic = spec.get("enableDynamicWorker", False)
    return {
        "policy": policy,
        "success": spec.get("successPolicy") or None,
        "dynamic": dynamic,
        "roles": roles,
    }


def _pod(pod):
    pod = copy.deepcopy(pod)
    pod.pop("restartPolicy", None)
    if "serviceAccount" in pod:
        pod.setdefault("serviceAccountName", pod.pop("serviceAccount"))
    if pod.get("automountServiceAccountToken") == ("serviceAccountName" in pod):
        del pod["automountServiceAccountToken"]
    if pod.get("hostPID"):
        pod.setdefault("shareProcessNamespace", False)
    for name, ours in (("shareProcessNamespace", True), ("enableServiceLinks", False)):
        if pod.get(name) is ours:
            del pod[name]
    pod.setdefault("priorityClassName", "offline-low")
    pod.setdefault("terminationGracePeriodSeconds", 30)
    volumes = {volume["name"]: _source(volume) for volume in pod.pop("volumes", [])}
    outer = pod.pop("securityContext", {})
    beside = [{**c, "restartPolicy": "Always"} for c in pod["containers"] if c["name"] != "tensorflow"]
    init = [*pod.pop("initContainers", []), *beside]
    [training] = [c for c in pod.pop("containers") if c["name"] == "tensorflow"]
    pod["containers"] = {c["name"]: _container(c, volumes, outer) for c in [training, *init]}
    pod["order"] = [c["name"] for c in init]
    pod["unmounted"] = sorted(str(source) for source in volumes.values())
    pod["tolerations"] = [_toleration(t) for t in pod.get("tolerations", [])]
    pod["outer"] = {k: v for k, v in outer.items() if k in ("supplementalGroups", "sysctls", "fsGroup")}
    for spread in pod.get("topologySpreadConstraints", []):
        spread["matchLabelKeys"] = spread["labelSelector"] = "the job's own pods"
    return pod


def _container(container, volumes, outer):
    made = copy.deepcopy(container)
    made.setdefault("imagePullPolicy", "Always" if made["image"].endswith(":latest") else "IfNotPresent")
    variables = [v for v in made.pop("env", []) if not _is_ours(v)]
    assert not any({"value", "valueFrom"} <= v.keys() for v in variables)
    made["env"] = {v["name"]: _value_of(v) for v in variables}
    ports = [(p["name"], p["containerPort"], p.get("protocol", "TCP")) for p in made.pop("ports", [])]
    made["ports"] = set(ports) - {("tfjob-port", 2222, "TCP")}
    mounts = made.pop("volumeMounts", [])
    made["mounts"] = {m["mountPath"].rstrip("/"): _mount(m, volumes[m["name"]]) for m in mounts}
    resources = made.pop("resources", {})
    limits, requests = resources.get("limits", {}), resources.get("requests", {})
    devices = {key: value for key, value in limits.items() if "/" in key}
    made["amounts"] = [
        {k: amount(str(v)) for k, v in kind.items()} for kind in (limits, {**devices, **requests})
    ]
    made["user"] = _user(made.pop("securityContext", {}), outer)
    return made


def _is_ours(variable):
    name = variable["name"]
    return name == "COLOCATION_JOB" or _value_of(variable) == _OURS.get(name)


def _value_of(variable):
    return variable.get("valueFrom", variable.get("value", ""))


def _user(inner, outer):
    both = {**outer, **inner}
    added = sorted(both.get("capabilities", {}).get("add", []))
    names = ("runAsUser", "runAsGroup", "privileged", "readOnlyRootFilesystem")
    return (bool(both.get("runAsNonRoot")), added, {n: both[n] for n in names if both.get(n) is not None})


def _mount(mount, source):
    kind, of = next(iter(source.items()))
    read_only = bool(mount.get("readOnly") or (kind == "persistentVolumeClaim" and of.get("readOnly")))
    rest = {k: v for k, v in mount.items() if k not in ("name", "mountPath", "readOnly")}
    kept = {k: v for k, v in of.items() if k != "readOnly" or kind != "persistentVolumeClaim"}
    return (kind, kept, read_only, rest)


def _source(volume):
    return {k: v for k, v in volume.items() if k != "name"} or {"emptyDir": {}}


def _toleration(toleration):
    seconds = {k: max(v, 0) for k, v in toleration.items() if k == "tolerationSeconds"}
    return {"operator": "Equal", **{k: v for k, v in toleration.items() if v != ""}, **seconds}
