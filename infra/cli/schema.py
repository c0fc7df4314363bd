"""`colo schema`: the JSON schema of stack files, for editors."""

import argparse
import json
from pathlib import Path
from typing import Any

from infra.models import Stack
from infra.places import STACKS, shown

FILE = STACKS / "schema.json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Where to write it."""
    parser.add_argument("--output", metavar="FILE", type=Path, default=FILE, help="default: %(default)s")


def run(args: argparse.Namespace) -> int:
    """Write the schema."""
    output: Path = args.output
    output.write_text(render(), "utf-8")
    print(f"wrote {shown(output)}")
    return 0


def render() -> str:
    """The schema as it stands in the file."""
    schema = _partial(Stack.model_json_schema())
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _partial(schema: dict[str, Any]) -> dict[str, Any]:
    """Of required keys the names alone stay, by which things of two files merge.

    What else is lacking, the file that this one extends may say; `colo check` looks at both.
    """
    for model in schema["$defs"].values():
        required = [key for key in model.pop("required", []) if key == "name"]
        if required:
            model["required"] = required
    return schema
