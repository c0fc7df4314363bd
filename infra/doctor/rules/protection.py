"""Node protection that is declared and not in force on a node where training runs."""

from collections.abc import Iterator

from infra.cluster.pods import Pod
from infra.doctor.case import Case
from infra.doctor.chain import Diagnosis, Evidence
from infra.models import NodeProtectionSpec
from infra.vocabulary import APP_NAME_LABEL, NODE_PROTECTION

_STARTS_SECONDS = 60
"""After which a pod of it is ready: an image to pull, and a first look."""


def check(case: Case) -> Iterator[Diagnosis]:
    """By node: whether a pod of it runs there and is ready, and else what its log says last."""
    spec = case.stack.node_protection
    if spec is None or case.state.pods is None or case.state.find("namespaces", "", spec.namespace) is None:
        return
    there = {pod.node: pod for pod in agents(case, spec)}
    for node in _with_training(case):
        agent = there.get(node)
        if agent is None:
            daemon_set = f"kubectl describe daemonset -n {spec.namespace} {NODE_PROTECTION}"
            yield _unprotected(case, node, "no pod of it is there", f"{daemon_set}; then {case.update}")
        elif not agent.ready and case.state.seconds_since_created(agent.raw) > _STARTS_SECONDS:
            said = case.log(agent.namespace, agent.name, NODE_PROTECTION).lines
            seen = said[-1] if said else f"{agent.name} is {agent.phase} and not ready"
            yield _unprotected(case, node, seen, _fix(case, agent, seen))


def agents(case: Case, spec: NodeProtectionSpec) -> Iterator[Pod]:
    """Its pods, one a node."""
    for pod in case.state.pods or ():
        ours = pod.namespace == spec.namespace and pod.labels.get(APP_NAME_LABEL) == NODE_PROTECTION
        if ours and pod.node and not pod.leaving and not pod.over:
            yield pod


def _with_training(case: Case) -> list[str]:
    """Nodes on which pods of offline classes run, of the tenants."""
    offline, tenants = case.stack.classes("offline"), {tenant.name for tenant in case.stack.tenants}
    return sorted(
        {
            pod.node
            for pod in case.state.pods or ()
            if pod.node and pod.namespace in tenants and pod.phase == "Running" and not pod.leaving
            if pod.spec.get("priorityClassName") in offline
            if case.state.seconds_since_created(pod.raw) > _STARTS_SECONDS
        }
    )


def _fix(case: Case, agent: Pod, seen: str) -> str:
    if "no cpu.idle" in seen:
        return "update the node's kernel, keep training off the node, or remove node_protection"
    if "spare_cores: 0" in seen:
        return f"write spare_cores: 0 under node_protection; then {case.update}"
    if "cannot set" in seen:
        return "let it write there: docs/tasks/node-protection.md, under What it needs"
    return f"kubectl describe pod -n {agent.namespace} {agent.name}"


def _unprotected(case: Case, node: str, seen: str, fix: str) -> Diagnosis:
    return Diagnosis(
        severity="warning",
        code="node-unprotected",
        object=f"Node {node}",
        breaks_at="current",
        cause=f"protection is declared, and node {node} does not apply it: training slows services down",
        fix=fix,
        evidence=(Evidence("target", f"node_protection of stack {case.name}"), Evidence("current", seen)),
    )
