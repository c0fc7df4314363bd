"""What a stack's pods have and the manifest's have not, by intent."""

from collections.abc import Iterator, Sequence

from infra.checks import Finding
from infra.importing import containers, metadata
from infra.importing.remarks import advice
from infra.importing.roles import Replica


def remarks(replicas: Sequence[Replica]) -> Iterator[Finding]:
    """One piece of advice that names them all."""
    differing = [what for what, same in _DIFFERENCES if not all(map(same, replicas))]
    if replicas and differing:
        text = (
            f"pods of a stack differ by intent: {', '.join(differing)}; "
            "say otherwise in env or pod_overrides where the training needs it"
        )
        yield advice("hardened", replicas[0].template_place, text)


def _sidecar(replica: Replica) -> bool:
    return metadata.opts_out(replica.template.get("metadata", {}))


def _token(replica: Replica) -> bool:
    pod = replica.template.get("spec", {})
    return "automountServiceAccountToken" in pod or "serviceAccountName" in pod or "serviceAccount" in pod


def _privileges(replica: Replica) -> bool:
    container, _ = containers.training(replica.template.get("spec", {}), ())
    context = container.get("securityContext", {})
    return context.get("allowPrivilegeEscalation") is not None and "capabilities" in context


def _processes(replica: Replica) -> bool:
    return bool({"shareProcessNamespace", "hostPID"} & set(replica.template.get("spec", {})))


def _variables(replica: Replica) -> bool:
    container, _ = containers.training(replica.template.get("spec", {}), ())
    named = {variable.get("name") for variable in container.get("env", [])}
    return {"HOME", "OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS"} <= named


def _sidecars(replica: Replica) -> bool:
    return len(replica.template.get("spec", {}).get("containers", ())) < 2


_DIFFERENCES = (
    ("no Istio sidecar", _sidecar),
    ("no token of a service account", _token),
    ("no privileges to gain", _privileges),
    ("processes in one namespace, so that a stop is heard", _processes),
    ("sidecars that end with the training", _sidecars),
    ("HOME=/tmp and as many threads as CPUs", _variables),
)
