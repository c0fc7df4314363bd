"""`colo schema`: the JSON schema of stack files, for editors."""

import argparse
import json
from pathlib import Path

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
    schema = Stack.model_json_schema()
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
