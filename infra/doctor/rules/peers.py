"""Whether the pods of a distributed job can find and reach each other: TF_CONFIG, Services, DNS, policies."""

from collections.abc import Iterator

from infra.cluster.jobs import TFJob
from infra.cluster.objects import has_ready_endpoint, labels_of, selects
from infra.cluster.pods import Pod
from infra.doctor.case import Case
from infra.doctor.chain import Diagnosis, Evidence, Step
from infra.doctor.rules import network
from infra.doctor.rules.pods import standing
from infra.vocabulary import SERVICE_NAME_LABEL, TFJOB_PORT, TFJOB_PORT_NAME

_Found = tuple[str, Step, str, str, str]
"""Code, step, cause, fix, what was seen."""


def check(case: Case) -> Iterator[Diagnosis]:
    """Each distributed job that is not over; the first thing that keeps its pods apart."""
    dns_told = False
    for job in case.jobs:
        pods = [pod for pod in case.state.pods_of(job) if not pod.over and not pod.leaving]
        if job.settled or not job.distributed or not pods:
            continue
        found = _tf_config(case, job, pods) or _services(case, pods) or _policies(case, pods)
        if found is None and not dns_told and (found := _dns(case)) is not None:
            dns_told = True
        if found is not None:
            code, step, cause, fix, seen = found
            yield Diagnosis(
                code=code,
                object=job.title,
                breaks_at=step,
                cause=cause,
                fix=fix,
                evidence=(*standing(case, job), Evidence(step, seen)),
                affects=(job.name,),
            )


def _tf_config(case: Case, job: TFJob, pods: list[Pod]) -> _Found | None:
    spec = case.declared(job)
    place = case.place(spec) if spec else "the job"
    again = f"kubectl delete tfjob -n {job.namespace} {job.name}; {case.update}"
    for pod in pods:
        values = pod.env("TF_CONFIG")
        if len(values) == 1 and (config := pod.tf_config) is not None:
            task = config.get("task") or {}
            if (task.get("type"), task.get("index")) == (pod.role, pod.index):
                continue
            seen = f"its task is {task.get('type')} {task.get('index')}, and it is {pod.role} {pod.index}"
        elif len(values) > 1:
            seen = f"it is set {len(values)} times; TensorFlow reads the last"
        else:
            seen = "it is not set" if not values else "it is no JSON"
        return (
            "tf-config-wrong",
            "current",
            f"TF_CONFIG of {pod.name} does not tell it of its peers: {seen}",
            f"take TF_CONFIG out of env and pod_overrides of {place}, for the operator sets it; then {again}",
            f"TF_CONFIG={(values[-1] if values else '')[:160] or 'unset'}",
        )
    return None


def _services(case: Case, pods: list[Pod]) -> _Found | None:
    if not case.state.readable("services"):
        return None
    for pod in pods:
        service = case.state.find("services", pod.namespace, pod.name)
        port = _port(pod)
        again = f"kubectl delete service -n {pod.namespace} {pod.name}: the operator makes it anew"
        if service is None:
            return (
                "peer-service-absent",
                "current",
                f"the Service {pod.name} is not there, so peers do not find {pod.name}",
                f"kubectl delete pod -n {pod.namespace} {pod.name}: the operator makes both anew; "
                "if it does not, see its log",
                f"no Service {pod.namespace}/{pod.name}",
            )
        spec = service.get("spec") or {}
        ports = [p for p in spec.get("ports") or () if p.get("port") == port]
        headless = spec.get("clusterIP") == "None"
        target = ports[0].get("targetPort", port) if ports else None
        if not ports or (not headless and target not in (port, TFJOB_PORT_NAME)):
            listed = ", ".join(str(p.get("port")) for p in spec.get("ports") or ()) or "none"
            return (
                "peer-port-wrong",
                "current",
                f"peers call {pod.name} at port {port}, and its Service does not lead there",
                again,
                f"Service {pod.name} has the port {listed}",
            )
        if not selects({"matchLabels": spec.get("selector") or {}}, pod.labels):
            return (
                "peer-service-wrong",
                "current",
                f"the Service {pod.name} does not select the pod {pod.name}",
                again,
                f"its selector is {spec.get('selector')}",
            )
    return None


def _policies(case: Case, pods: list[Pod]) -> _Found | None:
    if not case.state.readable("networkpolicies"):
        return None
    namespace = pods[0].namespace
    blocked = network.peers_blocked(case.state, pods, _port(pods[0])) if len(pods) > 1 else None
    ours = any(t.name == namespace and t.network_policy for t in case.stack.tenants)
    fix = (
        f"{case.update} brings back the tenant's allow-peers and allow-dns"
        if ours
        else f"add a policy that allows it: kubectl get networkpolicy -n {namespace}"
    )
    if blocked is not None:
        direction, denying = blocked
        return (
            "network-policy-blocks",
            "current",
            f"NetworkPolicies of {namespace} keep the job's pods from each other ({direction})",
            fix,
            f"denied by {', '.join(denying)}, allowed by none",
        )
    denying = network.dns_blocked(case.state, pods[0])
    if denying:
        return (
            "network-policy-blocks",
            "current",
            f"NetworkPolicies of {namespace} keep the job's pods from the cluster's DNS",
            fix,
            f"denied by {', '.join(denying)}, allowed by none",
        )
    return None


def _dns(case: Case) -> _Found | None:
    """The cluster's DNS has nobody who answers."""
    slices = [
        item
        for item in case.state.of("endpointslices")
        if labels_of(item).get(SERVICE_NAME_LABEL) == "kube-dns"
    ]
    if not slices or any(map(has_ready_endpoint, slices)):
        return None
    return (
        "dns-down",
        "current",
        "the cluster's DNS has no ready pod, so no peer's name is resolved",
        "kubectl get pods -n kube-system -l k8s-app=kube-dns",
        "Service kube-system/kube-dns has no ready endpoint",
    )


def _port(pod: Pod) -> int:
    """Where peers call it, as the operator told them."""
    addresses = ((pod.tf_config or {}).get("cluster") or {}).get(pod.role) or []
    if isinstance(addresses, dict):
        addresses = list(addresses.values())
    own = next((a for a in addresses if str(a).startswith(f"{pod.name}.")), "")
    _, _, port = str(own).rpartition(":")
    return int(port) if port.isdigit() else TFJOB_PORT
