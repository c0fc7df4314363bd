"""Kubernetes objects as they are sent: plain data, whichever SDK or component they came from."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import yaml
from pulumi_policy.proxy import UnknownValueError

_PREFIX = "kubernetes:"
_CORE = "core/"
_MANIFESTS = (".json", ".yaml", ".yml")


class Unknown:
    """A value that only the update will know. It is there, and says nothing."""

    def __repr__(self) -> str:
        return "(known after the update)"


UNKNOWN: Final = Unknown()


@dataclass(frozen=True, kw_only=True)
class KubernetesObject:
    """One object, or a Helm release."""

    api_version: str
    kind: str
    props: Mapping[str, Any] = field(repr=False)
    """As Pulumi hands them over; rules read `body`."""
    urn: str = ""
    protected: bool = False
    """Pulumi refuses to delete or replace it."""
    depends_on: frozenset[str] = frozenset()
    """URNs."""
    carrier: str = ""
    """Of a manifest that another object carries: which one."""

    @cached_property
    def body(self) -> Mapping[str, Any]:
        """Plain data, with UNKNOWN for what is not known yet."""
        return mapping(plain(self.props))

    @property
    def group(self) -> str:
        """Of the API; empty for the core."""
        return self.api_version.rpartition("/")[0]

    @property
    def name(self) -> str | None:
        """None where it is not known or not said."""
        return text(mapping(self.body.get("metadata")).get("name"))

    @property
    def namespace(self) -> str | None:
        """None where it is not known or not said."""
        return text(mapping(self.body.get("metadata")).get("namespace"))

    @property
    def spec(self) -> Mapping[str, Any]:
        return mapping(self.body.get("spec"))

    @property
    def path(self) -> str:
        """`namespace/name`, or the name alone; settings name objects so."""
        return "/".join(part for part in (self.namespace, self.name) if part)

    def __str__(self) -> str:
        return f"{self.kind} {self.path or '(unnamed)'}" + (f" in {self.carrier}" if self.carrier else "")

    def carried(self) -> Iterator["KubernetesObject"]:
        """Manifests in a ConfigMap: what some program in the cluster is to create from it."""
        if self.kind != "ConfigMap":
            return
        for document in documents(self):
            version, kind = text(document.get("apiVersion")), text(document.get("kind"))
            if version and kind:
                yield KubernetesObject(
                    api_version=version, kind=kind, props=document, urn=self.urn, carrier=str(self)
                )


def declared(
    token: str,
    props: Mapping[str, Any],
    *,
    urn: str = "",
    protected: bool = False,
    depends_on: frozenset[str] = frozenset(),
) -> KubernetesObject | None:
    """The object behind a resource of the type `token`; None if it is none of Kubernetes."""
    version, _, kind = token.removeprefix(_PREFIX).rpartition(":")
    if not token.startswith(_PREFIX) or not version:
        return None
    return KubernetesObject(
        api_version=version.removeprefix(_CORE),
        kind=kind,
        props=props,
        urn=urn,
        protected=protected,
        depends_on=depends_on,
    )


def documents(config_map: KubernetesObject) -> Iterator[Mapping[str, Any]]:
    """The YAML and JSON documents that a ConfigMap holds, as data."""
    for key, value in mapping(config_map.body.get("data")).items():
        if isinstance(value, str) and key.endswith(_MANIFESTS):
            try:
                read = [json.loads(value)] if key.endswith(".json") else list(yaml.safe_load_all(value))
            except (ValueError, yaml.YAMLError, RecursionError):
                continue
            yield from (document for document in read if isinstance(document, Mapping))


def plain(value: Any) -> Any:
    """Dictionaries, lists and scalars, from the proxies by which the pack's SDK guards unknown values."""
    if isinstance(value, Mapping):
        return {key: _known(value, key) for key in value}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_known(value, index) for index in range(len(value))]
    return value


def _known(container: Any, key: Any) -> Any:
    try:
        return plain(container[key])
    except UnknownValueError:
        return UNKNOWN


def mapping(value: Any) -> Mapping[str, Any]:
    """The mapping, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """The mappings of a list, or none."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def text(value: Any) -> str | None:
    """The text, or None for what is none."""
    return value if isinstance(value, str) and value else None
