"""The operator's CustomResourceDefinitions: which of them a cluster lacks, and what is sent to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from components.rendering.crds import without_descriptions
from sandbox import gomod, kubectl, programs

_VERSION_ANNOTATION = "operator.prometheus.io/version"
_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # of the same grammar, and ten times as fast


class _Loader(_BASE):  # type: ignore[misc] # the base is one of two
    """Takes a plain `=` for the string that it is."""


_Loader.add_constructor("tag:yaml.org,2002:value", yaml.SafeLoader.construct_yaml_str)


def missing(program: Path, folder: Path) -> dict[str, Path]:
    """Files of the definitions that the cluster lacks or has of another version, by name."""
    found = json.loads(kubectl.output(program, "get", "crd", "-o", "json"))["items"]
    present = {
        item["metadata"]["name"]: item["metadata"].get("annotations", {}).get(_VERSION_ANNOTATION)
        for item in found
    }
    wanted = gomod.version("monitoring", programs.PROMETHEUS_OPERATOR).removeprefix("v")
    return {
        name: file for file in sorted(folder.glob("*.yaml")) if present.get(name := _name(file)) != wanted
    }


def manifests(files: Mapping[str, Path]) -> str:
    """The definitions in files, without their prose: the API server would keep it in memory twice over."""
    items = []
    for file in files.values():
        definition = yaml.load(file.read_text(), Loader=_Loader)
        items.append({**definition, "spec": without_descriptions(definition["spec"])})
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


def _name(file: Path) -> str:
    group, _, plural = file.stem.partition("_")
    return f"{plural}.{group}"
