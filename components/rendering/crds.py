"""CustomResourceDefinitions without their prose.

Descriptions are three quarters of the TFJob's definition, and Pulumi's state holds the definition three
times and is written anew at every step of an update. What a field means stands in stacks/schema.json.
"""

from collections.abc import Mapping
from typing import Any


def without_descriptions(definition: Any) -> dict[str, Any]:
    """The `spec` of a CustomResourceDefinition, as plain data, its schemas without descriptions."""
    return {
        **definition,
        "versions": [
            {**version, "schema": {"openAPIV3Schema": _bare(version["schema"]["openAPIV3Schema"])}}
            for version in definition["versions"]
        ],
    }


def _bare(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema, and those below it. A field may itself be called `description`."""
    bare = {key: value for key, value in schema.items() if key != "description"}
    for key in ("properties", "patternProperties", "definitions"):
        if key in bare:
            bare[key] = {name: _bare(below) for name, below in bare[key].items()}
    for key in ("items", "additionalProperties", "not"):
        if isinstance(bare.get(key), Mapping):
            bare[key] = _bare(bare[key])
    for key in ("allOf", "anyOf", "oneOf"):
        if key in bare:
            bare[key] = [_bare(below) for below in bare[key]]
    return bare
