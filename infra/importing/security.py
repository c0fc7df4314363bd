"""Who the training runs as, such that an entry has the same effect."""

from collections.abc import Iterator
from typing import Any

from infra.importing import containers
from infra.importing.entry import Data, Piece
from infra.models import jobs
from infra.models.base import Loc
from infra.vocabulary import TENSORFLOW_CONTAINER

_USERS = {"runAsNonRoot": "run_as_non_root", "runAsUser": "run_as_user", "runAsGroup": "run_as_group"}
_OF_IMAGE = {"run_as_non_root": False, "run_as_user": None, "run_as_group": None, "fs_group": None}
"""What it is where a manifest says nothing: whatever the image says."""


def typed(pod: Data) -> dict[str, Any]:
    """`security` of an entry; empty where it is what an entry has anyway."""
    outer = pod.get("securityContext", {})
    inner = containers.training(pod, ())[0].get("securityContext", {})
    users = {**outer, **inner} if _alone(pod) else outer
    found = dict(_OF_IMAGE)
    found |= {field: users[name] for name, field in _USERS.items() if name in users}
    if "fsGroup" in outer:
        found["fs_group"] = outer["fsGroup"]
    if inner.get("readOnlyRootFilesystem"):
        found["read_only_root_filesystem"] = True
    usual = jobs.SecuritySpec().model_dump()
    return {} if usual | found == usual else {k: v for k, v in found.items() if v != usual[k]}


def may_be_root(security: dict[str, Any]) -> bool:
    """Whether the training may run as root, which the level `restricted` refuses."""
    return security.get("run_as_non_root") is False and security.get("run_as_user", 1000) in (None, 0)


def pieces(pod: Data, at: Loc) -> Iterator[Piece]:
    """What no field of an entry says."""
    outer = pod.get("securityContext", {})
    if rest := {k: v for k, v in outer.items() if k not in (*_USERS, "fsGroup")}:
        yield Piece("raw security", {"securityContext": rest}, (*at, "securityContext"))
    container, place = containers.training(pod, at)
    inner = container.get("securityContext", {})
    said = ("readOnlyRootFilesystem", *(_USERS if _alone(pod) else ()))
    if rest := {k: v for k, v in inner.items() if k not in said}:
        context = containers.unhardened(rest)
        raw = {"containers": [{"name": TENSORFLOW_CONTAINER, "securityContext": context}]}
        yield Piece("raw container security", raw, (*place, "securityContext"))


def _alone(pod: Data) -> bool:
    """Whether the training container is the only one, so that its users may be the pod's."""
    return len(pod.get("containers", [])) == 1 and not pod.get("initContainers")


def users(pod: Data) -> Data:
    """The fields behind `typed`, as the API has them."""
    found: dict[str, Any] = {}
    names = (*_USERS, "fsGroup")
    if outer := {k: v for k, v in pod.get("securityContext", {}).items() if k in names}:
        found["securityContext"] = outer
    inner = containers.training(pod, ())[0].get("securityContext", {})
    said = {k: v for k, v in inner.items() if k == "readOnlyRootFilesystem" or (_alone(pod) and k in _USERS)}
    if said:
        found["containers"] = [{"name": TENSORFLOW_CONTAINER, "securityContext": said}]
    return found
