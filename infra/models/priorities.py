"""Classes that say whose pods go first."""

from typing import Literal

from infra.models.base import Flag, Model, PriorityValue
from infra.models.names import ObjectName

PriorityKind = Literal["online", "offline"]


class PrioritySpec(Model):
    """One PriorityClass. An offline class never preempts; an online one may."""

    name: ObjectName
    value: PriorityValue
    """Higher goes first. Kubernetes cannot change it later: the class is replaced."""
    kind: PriorityKind
    """online: services that must not wait. offline: training that fills the gaps."""
    global_default: Flag = False
    """Pods without a class get this one; one class of the cluster may say so."""
    description: str = ""
    """What the class is for; `kubectl describe` shows it."""
