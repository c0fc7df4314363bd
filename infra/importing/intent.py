"""What a stack's pods have and the manifest's have not, by intent."""

from collections.abc import Iterator, Sequence

from infra.checks import Finding
from infra.importing import containers, metadata, resources
from infra.importing.remarks import advice
from infra.importing.roles import Replica
from infra.vocabulary import HOME_ENV, NVIDIA_VISIBLE_DEVICES, THREADS_ENV


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
    return {HOME_ENV, *THREADS_ENV} <= named


def _service_links(replica: Replica) -> bool:
    return "enableServiceLinks" in replica.template.get("spec", {})


def _seccomp(replica: Replica) -> bool:
    spec = replica.template.get("spec", {})
    contexts = [c.get("securityContext", {}) for c in (spec, containers.training(spec, ())[0])]
    return any("seccompProfile" in context for context in contexts)


def _owner_of_volumes(replica: Replica) -> bool:
    context = replica.template.get("spec", {}).get("securityContext", {})
    return "fsGroup" not in context or "fsGroupChangePolicy" in context


def _gpus(replica: Replica) -> bool:
    container, _ = containers.training(replica.template.get("spec", {}), ())
    named = {variable.get("name") for variable in container.get("env", [])}
    return NVIDIA_VISIBLE_DEVICES in named or "gpus" in resources.typed(container.get("resources", {}))


def _sidecars(replica: Replica) -> bool:
    return len(replica.template.get("spec", {}).get("containers", ())) < 2


_DIFFERENCES = (
    ("no Istio sidecar", _sidecar),
    ("no token of a service account", _token),
    ("no privileges to gain", _privileges),
    ("the seccomp profile of the runtime", _seccomp),
    ("no variables of Services (enableServiceLinks)", _service_links),
    ("fsGroupChangePolicy: OnRootMismatch", _owner_of_volumes),
    (f"{NVIDIA_VISIBLE_DEVICES}=none without a GPU", _gpus),
    ("processes in one namespace, so that a stop is heard", _processes),
    ("sidecars that end with the training", _sidecars),
    ("HOME=/tmp and as many threads as CPUs", _variables),
)
