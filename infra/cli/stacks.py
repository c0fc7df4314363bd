"""Which stack a command looks at a cluster for."""

import argparse
from pathlib import Path

from infra import places
from infra.cli import UnfitError
from infra.cluster.api_server import ApiServer
from infra.load import StackFileError
from infra.plan import Plan, plan
from infra.vocabulary import STACK_MANAGER_PREFIX


def add_stack(parser: argparse.ArgumentParser) -> None:
    """The options that name it."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--stack", metavar="NAME", help="default: the one that this cluster carries")
    which.add_argument("--file", metavar="FILE", type=Path, help="a stack file anywhere")


def chosen(args: argparse.Namespace, server: ApiServer) -> tuple[str, Plan]:
    """The stack's name, and what it declares.

    Raises:
        UnfitError: there is no telling which, or it cannot be read, or has faults.
        NoClusterError: the cluster would tell, and does not answer.
    """
    file: Path = args.file or places.stack_file(args.stack if args.stack is not None else _carried(server))
    try:
        return file.stem, plan(file)
    except StackFileError as error:
        raise UnfitError(f"{error}\nthe stack is not fit to be looked at; mend it (colo check)") from None


def _carried(server: ApiServer) -> str:
    """The stack whose objects the cluster holds, by the field managers of its namespaces."""
    known = {f"{STACK_MANAGER_PREFIX}{file.stem}": file.stem for file in places.STACKS.glob("*.yaml")}
    managers = {
        entry.get("manager")
        for namespace in server.items("/api/v1/namespaces") or ()
        for entry in namespace["metadata"].get("managedFields") or ()
    }
    found = sorted(known[manager] for manager in managers & known.keys())
    if len(found) == 1:
        return found[0]
    what = (
        f"the cluster carries {' and '.join(found)}"
        if found
        else "the cluster carries no stack of these files"
    )
    raise UnfitError(f"{what}; name one by --stack: {', '.join(sorted(known.values())) or 'there is none'}")
