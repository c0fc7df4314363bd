"""Teams: a namespace, what it may use, and what it may run."""

import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from infra.models.base import Fault, Flag, Model, raise_faults
from infra.models.names import DnsLabel, ObjectName
from infra.models.quantities import count, cpu, memory
from infra.models.resources import Amounts

_QUOTA_KEYS = {
    **dict.fromkeys(("cpu", "requests.cpu", "limits.cpu"), cpu),
    **dict.fromkeys(
        (
            "memory",
            "requests.memory",
            "limits.memory",
            "requests.storage",
            "ephemeral-storage",
            "requests.ephemeral-storage",
            "limits.ephemeral-storage",
        ),
        memory,
    ),
    **dict.fromkeys(
        (
            "pods",
            "services",
            "services.loadbalancers",
            "services.nodeports",
            "configmaps",
            "secrets",
            "persistentvolumeclaims",
            "replicationcontrollers",
            "resourcequotas",
        ),
        count,
    ),
}
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_EXTENDED = rf"{_LABEL}(\.{_LABEL})+/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
_QUOTA_PATTERNS = (
    (re.compile(rf"count/{_DOMAIN}"), count),
    (re.compile(r"(requests\.)?hugepages-[1-9][0-9]*[KMGTPE]i"), memory),
    (re.compile(rf"requests\.{_EXTENDED}"), count),
    (re.compile(rf"{_DOMAIN}\.storageclass\.storage\.k8s\.io/requests\.storage"), memory),
    (re.compile(rf"{_DOMAIN}\.storageclass\.storage\.k8s\.io/persistentvolumeclaims"), count),
)


def _quota(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value  # pydantic says that a mapping is needed
    read, wrong = {}, []
    for key, text in value.items():
        try:
            read[key] = _parser(str(key))(text)
        except ValueError as error:
            wrong.append(((key,), str(error)))
    raise_faults(wrong)
    return read


def _parser(key: str) -> Callable[[Any], str]:
    """What reads the amounts of a key."""
    known = _QUOTA_KEYS.get(key)
    for pattern, parse in _QUOTA_PATTERNS:
        if known is None and pattern.fullmatch(key):
            known = parse
    if known is None:
        [near] = get_close_matches(key, _QUOTA_KEYS, n=1) or ["requests.cpu"]
        if "/" in key:  # an extended resource: Kubernetes counts only its requests
            near = f"requests.{key.removeprefix('limits.')}"
        raise ValueError(f"is not a quota that Kubernetes knows; write {near}")
    prefix, _, name = key.rpartition("/")
    if len(name) > 63 or len(prefix) > 253:
        raise ValueError("is too long; use at most 253 characters before '/' and 63 after it")
    return known


Quota = Annotated[
    Mapping[str, str],
    BeforeValidator(_quota),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": ["string", "number"]}}),
]
"""ResourceQuota keys with canonical amounts."""


class LimitRangeSpec(Model):
    """What a container gets when it says nothing, and the bounds of what it may say."""

    default: Amounts = Amounts()
    """Limits of containers that state none."""
    default_request: Amounts = Amounts()
    """Requests of containers that state none."""
    max: Amounts = Amounts()
    min: Amounts = Amounts()

    def faults(self) -> Iterator[Fault]:
        order = ("min", "default_request", "default", "max")
        for i, low in enumerate(order):
            for high in order[i + 1 :]:
                for name in getattr(self, low).exceeding(getattr(self, high)):
                    more, less = getattr(getattr(self, low), name), getattr(getattr(self, high), name)
                    yield (
                        (low, name),
                        f"{more} is more than {high}.{name}, which is {less}; "
                        "keep min <= default_request <= default <= max",
                    )


class TenantSpec(Model):
    """A namespace with its Pod Security level, quota, defaults and network rules."""

    name: DnsLabel
    """Also the namespace's name."""
    pod_security: Literal["privileged", "baseline", "restricted"] = "restricted"
    """The Pod Security level that the namespace enforces."""
    quota: Quota = Field(default_factory=dict)
    """Hard limits of a ResourceQuota, such as requests.cpu; none when left out."""
    quota_priorities: tuple[ObjectName, ...] = ()
    """The quota counts only pods of these priorities. Empty: everything in the namespace."""
    limit_range: LimitRangeSpec | None = None
    network_policy: Flag = True
    """Deny traffic by default, and allow what training needs."""

    def faults(self) -> Iterator[Fault]:
        if self.quota_priorities and not self.quota:
            yield ("quota_priorities",), "there is no quota that could count them; add quota, or remove this"
