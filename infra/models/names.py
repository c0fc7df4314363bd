"""Names as Kubernetes allows them, each refused with the rule that it breaks."""

import re
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_HOST_NAME = r"[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*"
_QUALIFIED = r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"


def _matching(pattern: str, longest: int, rule: str, kind: str = "a valid name here") -> Callable[[str], str]:
    whole = re.compile(pattern)

    def check(value: str) -> str:
        if len(value) > longest:
            raise ValueError(f"{value!r} has {len(value)} characters; use at most {longest}")
        if not whole.fullmatch(value):
            raise ValueError(f"{without_credentials(value)!r} is not {kind}; {rule}")
        return value

    return check


def text(
    pattern: str, longest: int, rule: str, kind: str = "a valid name here"
) -> tuple[AfterValidator, WithJsonSchema]:
    """For `Annotated[str, *text(...)]`: what another text is told is `... is not <kind>; <rule>`."""
    schema = {"type": "string", "pattern": f"^{pattern}$", "maxLength": longest}
    return AfterValidator(_matching(pattern, longest, rule, kind)), WithJsonSchema(schema)


DnsLabel = Annotated[
    str,
    *text(_LABEL, 63, "use lower-case letters, digits and '-', with a letter or digit at each end"),
]
"""RFC 1123 label: namespaces, pools."""

JobName = Annotated[
    str,
    *text(
        r"[a-z]([-a-z0-9]*[a-z0-9])?",
        63,
        "start with a lower-case letter, then lower-case letters, digits and '-'",
    ),
]
"""RFC 1035 label: the operator makes a Service for each pod of a job."""

ObjectName = Annotated[
    str,
    *text(
        rf"{_LABEL}(\.{_LABEL})*",
        253,
        "use lower-case letters, digits, '-' and '.', with a letter or digit at each end",
    ),
]
"""RFC 1123 subdomain: nodes, classes, claims, Secrets."""

LabelValue = Annotated[
    str,
    *text(
        rf"({_QUALIFIED})?",
        63,
        "use letters, digits, '-', '_' and '.', with a letter or digit at each end",
    ),
]

EnvName = Annotated[
    str,
    *text(r"[A-Za-z_][A-Za-z0-9_]*", 253, "use letters, digits and '_', not starting with a digit"),
]


def label_key(value: str) -> str:
    """A key as labels, taints and extended resources have it; raises ValueError."""
    prefix, slash, name = value.rpartition("/")
    _matching(_QUALIFIED, 63, "use letters, digits, '-', '_' and '.'")(name)
    if slash:
        _matching(rf"{_LABEL}(\.{_LABEL})*", 253, "the part before '/' is a DNS name")(prefix)
    return value


LabelKey = Annotated[str, AfterValidator(label_key), Field(max_length=317)]
"""`name` or `dns.prefix/name`: keys of labels and taints."""


_PORT = r":[0-9]{1,5}"
_REGISTRY = rf"({_HOST_NAME}|\[[0-9A-Fa-f:]+\])({_PORT})?"
_REPOSITORY = r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*"
_IMAGE_NAME = re.compile(rf"({_REGISTRY}/)?{_REPOSITORY}(/{_REPOSITORY})*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_PUBLIC = "docker.io"
_ANY_DIGEST = re.compile(r"[a-z0-9]+:\w*")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def image_parts(image: str) -> tuple[str, str, str]:
    """Name, tag and digest; a colon before the last slash is that of a registry's port."""
    rest, _, digest = image.partition("@")
    folder, slash, last = rest.rpartition("/")
    last, _, tag = last.partition(":")
    return f"{folder}{slash}{last}", tag, digest


def has_version(image: str) -> bool:
    """Whether it is the same image tomorrow: by digest, or by a tag other than `latest`."""
    _, tag, digest = image_parts(image)
    return bool(digest) or tag not in ("", "latest")


def comes_from(image: str, registries: Iterable[str]) -> bool:
    """Whether an image is below one of these, which are registries or folders of one."""
    name, _, _ = image_parts(image)
    return any(f"{_full(name)}/".startswith(_full(f"{one.rstrip('/')}/")) for one in registries)


def _full(name: str) -> str:
    """With the registry that short names leave out: tensorflow/tensorflow is docker.io's."""
    host, slash, _ = name.partition("/")
    if slash and ("." in host or ":" in host or host == "localhost"):
        return name
    return f"{_PUBLIC}/{name}" if slash else f"{_PUBLIC}/library/{name}"


def without_credentials(reference: str) -> str:
    """A reference to an image or a registry that may be shown: user and password become dots."""
    scheme, colon, rest = reference.rpartition("://")
    before, at, after = rest.rpartition("@")
    if _ANY_DIGEST.fullmatch(after) and at:
        return f"{without_credentials(scheme + colon + before)}@{after}"
    return f"{scheme}{colon}{'...' if at and (colon or ':' in before) else before}{at}{after}"


def _image(value: str) -> str:
    """The grammar of references that the distribution registry publishes."""
    shown = without_credentials(value)
    named, at, digest = value.partition("@")
    path, slash, last = named.rpartition("/")
    last, colon, tag = last.partition(":")
    name = f"{path}{slash}{last}"
    if not _IMAGE_NAME.fullmatch(name):
        form = "registry/name:tag, with lower-case letters, digits and single '.', '_' or '-' in the name"
        raise ValueError(f"{shown!r} is not an image; write {form}")
    if len(name) > 255:
        raise ValueError(f"{shown[:30]!r}... has a name of {len(name)} characters; use at most 255")
    if at and not _DIGEST.fullmatch(digest):
        raise ValueError(f"{shown!r} has a malformed digest; write name@sha256:<64 hex digits>")
    if colon and not _TAG.fullmatch(tag):
        raise ValueError(f"{shown!r} has a malformed tag; use up to 128 letters, digits, '_', '.' and '-'")
    return value


Registry = Annotated[
    str,
    *text(
        r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?(/[a-z0-9][a-z0-9._-]*)*",
        255,
        "write lower-case letters and digits, as in registry.example/mirror",
        "a registry",
    ),
]
"""A registry, or a folder of one."""

Image = Annotated[str, AfterValidator(_image), Field(max_length=1024)]
"""A reference to a container image: name, with a tag, a digest, or both."""

ImagePullPolicy = Literal["Always", "IfNotPresent", "Never"]
SuccessPolicy = Literal["AllWorkers"]

PortName = Annotated[
    str,
    *text(
        r"(?=[0-9-]*[a-z])[a-z0-9]+(-[a-z0-9]+)*",
        15,
        "use lower-case letters, digits and single '-', with at least one letter",
    ),
]
"""IANA service name: ports of containers."""
PortNumber = Annotated[int, Field(strict=True, ge=1, le=65535)]

ConfigKey = Annotated[
    str,
    *text(
        r"(?!\.$|\.\.)[-._A-Za-z0-9]+",
        253,
        "use letters, digits, '-', '_' and '.', and no '..' at the start",
    ),
]
"""A key of a ConfigMap or a Secret."""

PodField = Annotated[
    str,
    *text(
        r"(metadata\.(name|namespace|uid)"
        rf"|metadata\.(labels|annotations)\['({_LABEL}(\.{_LABEL})*/)?{_QUALIFIED}'\]"
        r"|spec\.(nodeName|serviceAccountName)|status\.(host|pod)IPs?)",
        350,
        "write one such as metadata.name, metadata.labels['team'], spec.nodeName or status.podIP",
    ),
]
"""A field of a pod that its containers may be told."""
ContainerAmount = Literal[
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
]
"""An amount of a container that it may be told."""


def _absolute_path(value: str) -> str:
    parts = value.split("/")
    if not value.startswith("/") or ".." in parts or ":" in value or value.strip("/") == "":
        raise ValueError(f"{value!r} is not a usable path; write an absolute one, such as /data")
    return value.rstrip("/")


AbsolutePath = Annotated[str, AfterValidator(_absolute_path), Field(max_length=4096)]


def _relative_path(value: str) -> str:
    if value.startswith("/") or ".." in value.split("/") or not value:
        raise ValueError(f"{value!r} is not a path inside the volume; write one such as models/v3")
    return value


RelativePath = Annotated[str, AfterValidator(_relative_path), Field(max_length=4096)]


def _host(value: str) -> str:
    if not re.fullmatch(_HOST_NAME, value):
        try:
            ip_address(value)
        except ValueError:
            form = "write a DNS name or an address, without a port"
            raise ValueError(f"{value!r} is not a host; {form}") from None
    return value


Host = Annotated[str, AfterValidator(_host), Field(max_length=253)]


def _kubernetes_version(value: str) -> str:
    if not re.fullmatch(r"1\.[0-9]{1,3}(\.[0-9]{1,3})?", value):
        raise ValueError(f'{value!r} is not a version of Kubernetes; write one such as "1.34", in quotes')
    return value


KubernetesVersion = Annotated[str, AfterValidator(_kubernetes_version)]
