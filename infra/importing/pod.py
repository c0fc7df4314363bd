"""What a pod says as a whole, and all of its pieces."""

from collections.abc import Iterator

from infra.importing import containers, placement, security, volumes
from infra.importing.entry import Data, Piece
from infra.models.base import Loc

_ELSEWHERE = (
    "containers",
    "initContainers",
    "volumes",
    "restartPolicy",
    "securityContext",
    "nodeSelector",
    "tolerations",
    "affinity",
    "topologySpreadConstraints",
)
_OWN = ("priorityClassName", "serviceAccountName", "serviceAccount", "imagePullSecrets")


def pieces(pod: Data, at: Loc, job: str) -> Iterator[Piece]:
    """Everything that the pod says beside what each role of an entry says by itself."""
    yield from _own(pod, at)
    yield from placement.pieces(pod, at, job)
    yield from volumes.pieces(pod, at)
    yield from containers.pieces(pod, at)
    yield from security.pieces(pod, at)
    for name, value in pod.items():
        if name not in (*_ELSEWHERE, *_OWN, "terminationGracePeriodSeconds"):
            raw = {name: value}
            if name == "hostPID" and value:  # which the API refuses beside a namespace of the pod's own
                raw["shareProcessNamespace"] = pod.get("shareProcessNamespace", False)
            yield Piece(f"pod {name}", raw, (*at, name))


def _own(pod: Data, at: Loc) -> Iterator[Piece]:
    if priority := pod.get("priorityClassName"):
        place = (*at, "priorityClassName")
        yield Piece("priority", {"priorityClassName": priority}, place, priority)
    if account := pod.get("serviceAccountName") or pod.get("serviceAccount"):
        # With an account of its own a pod of a stack has its token, without one it has none.
        token = pod.get("automountServiceAccountToken", True)
        raw = {"serviceAccountName": account, "automountServiceAccountToken": token}
        yield Piece("service_account", raw, (*at, "serviceAccountName"), account)
    if secrets := pod.get("imagePullSecrets"):
        names = [secret.get("name") for secret in secrets]
        yield Piece("image_pull_secrets", {"imagePullSecrets": secrets}, (*at, "imagePullSecrets"), names)
    grace = pod.get("terminationGracePeriodSeconds", 30)
    if grace != 30:
        place = (*at, "terminationGracePeriodSeconds")
        raw = {"terminationGracePeriodSeconds": grace}
        yield Piece("termination_grace_period_seconds", raw, place, grace)
