"""Secrets in plain sight: variables, arguments, ConfigMaps, values of Helm releases.

Messages never repeat a value.
"""

import re
from collections.abc import Iterator
from typing import Any

from infra.plain_secrets import holds_credential, named_like_a_secret
from policy.objects import KubernetesObject, documents, mapping, mappings, text
from policy.pods import name_of, pods
from policy.rules.rule import ObjectRule, Settings

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[-. ]")
_NAMES_A_SECRET = re.compile(
    r"((EXISTING|CONFIG|PULL|TLS|FROM)_SECRETS?|SECRET_?REF|(PASSWORD|USER|TOKEN)_KEY)$"
)
"""Keys of charts under which the name of a Secret stands, or of a key in one."""
_REMEDY = "put it into a Secret, and name that here"


def _plain(sent: KubernetesObject, settings: Settings) -> Iterator[str]:
    yield from _in_pods(sent)
    if sent.kind == "ConfigMap":
        yield from _in_config_map(sent)
    elif sent.kind in ("Release", "Chart"):
        for path in _suspects(sent.body.get("values"), "values"):
            yield f"{path} looks like a secret, and the release keeps it in plain text; {_REMEDY}"


def _in_pods(sent: KubernetesObject) -> Iterator[str]:
    for group in pods(sent):
        for _, container in group.containers():
            where = f"container {name_of(container)} of {group.what}"
            for variable in mappings(container.get("env")):
                name, value = text(variable.get("name")), text(variable.get("value"))
                if name and value and (holds_credential(value) or named_like_a_secret(name, value)):
                    yield (
                        f"{name} in {where} looks like a secret, and whoever may read the pod reads it; "
                        "put it into a Secret and name that under valueFrom"
                    )
            for field in ("command", "args"):
                words = container.get(field)
                for word in words if isinstance(words, list) else ():
                    if isinstance(word, str) and holds_credential(word):
                        yield f"{field} of {where} hold what looks like a secret; {_REMEDY}"


def _in_config_map(sent: KubernetesObject) -> Iterator[str]:
    for key, value in mapping(sent.body.get("data")).items():
        if isinstance(value, str) and _is_suspect(key, value):
            yield f"{key} looks like a secret, and a ConfigMap is no place for one; move it into a Secret"
    for document in documents(sent):
        for path in _suspects(document, ""):
            yield f"{path} looks like a secret, and a ConfigMap is no place for one; move it into a Secret"


def _suspects(value: Any, path: str) -> Iterator[str]:
    """Paths of leaves that look like secrets."""
    if isinstance(value, dict):
        for key, below in value.items():
            here = f"{path}.{key}" if path else str(key)
            if isinstance(below, str):
                if _is_suspect(str(key), below):
                    yield here
            else:
                yield from _suspects(below, here)
    elif isinstance(value, list):
        for i, below in enumerate(value):
            yield from _suspects(below, f"{path}[{i}]")


def _is_suspect(key: str, value: str) -> bool:
    name = _HUMP.sub("_", key).upper()
    if holds_credential(value):
        return True
    return not _NAMES_A_SECRET.search(name) and "\n" not in value and named_like_a_secret(name, value)


RULES = (
    ObjectRule(
        name="no-secret-in-plain-text",
        description="No secret stands in a variable, an argument, a ConfigMap or the values of a release.",
        find=_plain,
    ),
)
