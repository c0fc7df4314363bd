"""`colo render`: what would be applied, as YAML, without a cluster."""

import argparse
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from infra import places
from infra.cli import UnfitError
from infra.cli.findings import counted
from infra.load import StackFileError
from infra.plan import plan
from infra.rendered import Resource, declared, manifest

_LIST = ".rendered"
"""In the folder: the files that this command wrote, which the next run may remove."""
_RELEASE = "kubernetes:helm.sh/v3:Release"
_OVERLAY = "kubernetes:kustomize/v2:Directory"
_MARKS = "NodeMarks"


def configure(parser: argparse.ArgumentParser) -> None:
    """Which stack, and where to."""
    parser.description = (
        "Write what `pulumi up` would apply, without a cluster, a state or a kubeconfig: objects/ for "
        "`kubectl apply -R -f`, operator/ for `kubectl apply -k`, releases/ with the values of Helm "
        "releases, node-marks/ with the labels and taints that pools put on nodes."
    )
    parser.add_argument("--stack", metavar="NAME", required=True, help="of stacks/NAME.yaml")
    parser.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="new, empty, or of an earlier run"
    )
    parser.add_argument("--show-secrets", action="store_true", help="write the values of secrets too")


def run(args: argparse.Namespace) -> int:
    """Write the files, and remove those of an earlier run that are no more."""
    try:
        ready = plan(places.stack_file(args.stack))
    except StackFileError as error:
        raise UnfitError(str(error)) from None
    folder: Path = args.out
    _prepare(folder)
    texts = dict(_files(declared(ready, args.stack, show_secrets=args.show_secrets)))
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (folder / _LIST).write_text("".join(f"{name}\n" for name in sorted(texts)), "utf-8")
    print(f"wrote {counted(len(texts), 'file')} to {places.shown(folder)}")
    return 0


def _prepare(folder: Path) -> None:
    """Nothing that somebody else put there is touched."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UnfitError(f"{places.shown(folder)} is no folder; name a new or an empty folder")
    if not any(folder.iterdir()):
        return
    listed = folder / _LIST
    if not listed.is_file():
        raise UnfitError(
            f"{places.shown(folder)} holds files that are not of this command; name a new or an empty folder"
        )
    files = [folder / name for name in listed.read_text("utf-8").splitlines()]
    for file in files:
        if not file.parent.resolve().is_relative_to(folder.resolve()) or file.is_dir():
            raise UnfitError(
                f"{places.shown(listed)} lists {places.shown(file)}, which is no file of this command; "
                "name a new or an empty folder"
            )
    for file in files:
        file.unlink(missing_ok=True)
        for above in file.relative_to(folder).parents:
            with suppress(OSError):  # the folder itself, or one that holds something else
                (folder / above).rmdir()


def _files(resources: list[Resource]) -> Iterator[tuple[str, str]]:
    """Names and contents, the same at every run."""
    for resource in resources:
        if resource.type == _RELEASE:
            yield f"releases/{resource.props.get('name', resource.name)}.yaml", _yaml(dict(resource.props))
        elif resource.type == _OVERLAY:
            yield from _overlay(resource)
        elif resource.type.endswith(f":{_MARKS}"):
            marks = {k: v for k, v in resource.props.items() if not k.startswith("__") and k != "marked"}
            yield f"node-marks/{marks['pool']}.yaml", _yaml(marks)
        elif resource.is_object:
            sent = manifest(resource)
            metadata = sent["metadata"]
            home = metadata.get("namespace", "_cluster")
            yield f"objects/{home}/{sent['kind'].lower()}-{metadata['name']}.yaml", _yaml(sent)


def _overlay(resource: Resource) -> Iterator[tuple[str, str]]:
    """The kustomization that the program writes; upstream's objects come with it when it is applied."""
    folder = Path(resource.props["directory"])
    for file in sorted(folder.iterdir()):
        if file.is_file() and not file.name.startswith("."):
            yield f"operator/{file.name}", file.read_text("utf-8")


class _Dumper(yaml.SafeDumper):
    """Scripts and dashboards stay readable."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def _yaml(value: dict[str, Any]) -> str:
    return yaml.dump(value, Dumper=_Dumper, sort_keys=True, allow_unicode=True, width=110)
