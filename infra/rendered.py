"""What a stack would declare, found without an engine, a state or a cluster."""

from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import pulumi
from google.protobuf import json_format
from pulumi.runtime.mocks import MockCallArgs, MockMonitor, MockResourceArgs
from pulumi.runtime.rpc import _special_secret_sig, _special_sig_key

from components.rendering.delivery.configuration import OPEN_FILES
from infra.assembly import assemble
from infra.plan import Plan
from infra.stack_secrets import secret_names
from infra.vocabulary import ALERTMANAGER_CONFIG_SECRET

WITHHELD: Final = "(withheld)"
_SECRET_DATA = ("data", "stringData")


@dataclass(frozen=True)
class Resource:
    """One resource as the program hands it to Pulumi."""

    type: str
    """Pulumi's token, such as `kubernetes:core/v1:Namespace`."""
    name: str
    props: Mapping[str, Any] = field(repr=False)

    @property
    def is_object(self) -> bool:
        """Whether it is one Kubernetes object; not the overlay, a release, a provider or a component."""
        return self.type.startswith("kubernetes:") and "apiVersion" in self.props and "kind" in self.props


def declared(ready: Plan, stack_name: str, *, show_secrets: bool) -> list[Resource]:
    """Everything that the program declares, in its order; secrets withheld unless they are asked for."""
    collector = _Collector(show_secrets)
    pulumi.runtime.set_mocks(
        collector, project="colocation", stack=stack_name, preview=False, monitor=_Monitor(collector)
    )

    to_the_end: Any = pulumi.runtime.test  # for tests by name; it waits until everything is registered
    secrets = {
        name: f"(secret {name})" for name in secret_names(ready.stack)
    }  # Pulumi's config has the values
    to_the_end(
        lambda: assemble(ready, stack_name, {k: pulumi.Output.secret(v) for k, v in secrets.items()})
    )()
    return collector.found


class _Collector(pulumi.runtime.Mocks):
    """Answers as a cluster that takes everything as it is."""

    def __init__(self, show_secrets: bool) -> None:
        self.show_secrets = show_secrets
        self.found: list[Resource] = []

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        outputs = dict(args.inputs)
        if isinstance(outputs.get("metadata"), dict):
            outputs["metadata"] = {**outputs["metadata"], "uid": "(known to the cluster)"}
        return args.name, outputs

    def call(self, args: MockCallArgs) -> tuple[dict[Any, Any], list[tuple[str, str]] | None]:
        raise NotImplementedError(f"the program asks a provider for {args.token}")


class _Monitor(MockMonitor):
    """Keeps what is sent, with what is marked as secret."""

    mocks: _Collector

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 (gRPC's name)
        sent = json_format.MessageToDict(request.object)
        props = _plain(sent, self.mocks.show_secrets)
        if props.get("kind") == "Secret":
            if not self.mocks.show_secrets:
                props |= {key: _withheld(props[key]) for key in _SECRET_DATA if props.get(key)}
            if props["metadata"].get("name") == ALERTMANAGER_CONFIG_SECRET:
                props |= _readable(props.pop("data"), _plain(sent["data"], show_secrets=True))
        self.mocks.found.append(Resource(request.type, request.name, props))
        monitor: Any = super()  # has no types
        return monitor.RegisterResource(request)


def _readable(data: Mapping[str, str], known: Mapping[str, str]) -> dict[str, Any]:
    """Alertmanager's configuration as text: it names the keys that hold secrets, and holds none.

    `data`: as it is shown; `known`: with every value.
    """
    texts = {key: b64decode(known[key]).decode() for key in OPEN_FILES}
    rest = {key: value for key, value in data.items() if key not in texts}
    return {"stringData": texts, **({"data": rest} if rest else {})}


def _plain(value: Any, show_secrets: bool) -> Any:
    """Without Pulumi's marks; whole numbers as such, which the protocol has none of."""
    if isinstance(value, dict):
        if value.get(_special_sig_key) == _special_secret_sig:
            below = _plain(value["value"], show_secrets)
            return below if show_secrets else _withheld(below)
        return {key: _plain(below, show_secrets) for key, below in value.items() if below is not None}
    if isinstance(value, list):
        return [_plain(below, show_secrets) for below in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _withheld(value: Any) -> Any:
    """Keys stay, values go."""
    if isinstance(value, dict):
        return {key: _withheld(below) for key, below in value.items()}
    return [_withheld(below) for below in value] if isinstance(value, list) else WITHHELD


def manifest(resource: Resource) -> dict[str, Any]:
    """An object as `kubectl apply` takes it.

    Left out: what is meant for Pulumi's provider, and owners, whose uid only the cluster knows.
    """
    metadata = {key: below for key, below in resource.props["metadata"].items() if key != "ownerReferences"}
    annotations = {k: v for k, v in _annotations(metadata) if not k.startswith("pulumi.com/")}
    metadata.pop("annotations", None)
    return {
        **resource.props,
        "metadata": {**metadata, **({"annotations": annotations} if annotations else {})},
    }


def _annotations(metadata: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from (metadata.get("annotations") or {}).items()
