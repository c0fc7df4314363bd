"""Which stack a command looks at a cluster for."""

import argparse
from pathlib import Path

from infra import places
from infra.cli import UnfitError
from infra.cluster.api_server import ApiServer
from infra.load import StackFileError
from infra.plan import Plan, plan
from infra.vocabulary import STACK_MANAGER_PREFIX

OF_THE_CLUSTER = "default: the one that this cluster carries"


def asked() -> ApiServer:
    """A server that answers, and that keeps what it is asked: a new one for each look.

    Raises:
        NoClusterError: it does not; told soon, and before which stack it is about.
    """
    server = ApiServer()
    server.version()
    return server


def add_stack(parser: argparse.ArgumentParser) -> None:
    """The options that name it."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--stack", metavar="NAME", help=OF_THE_CLUSTER)
    which.add_argument("--file", metavar="FILE", type=Path, help="a stack file anywhere")


def chosen(args: argparse.Namespace, server: ApiServer) -> tuple[str, Plan]:
    """The stack's name, and what it declares.

    Raises:
        UnfitError: there is no telling which, or it cannot be read, or has faults.
        NoClusterError: the cluster would tell, and does not answer.
    """
    file: Path = args.file or places.stack_file(args.stack if args.stack is not None else carried(server))
    try:
        return file.stem, plan(file)
    except StackFileError as error:
        raise UnfitError(f"{error}\nthe stack is not fit to be looked at; mend it (colo check)") from None


def carried(server: ApiServer) -> str:
    """The stack whose objects the cluster holds.

    Raises:
        UnfitError: there is none of these files, or several.
    """
    known = _known()
    found = sorted(known[manager] for manager in _managers(server) & known.keys())
    if len(found) == 1:
        return found[0]
    what = " and ".join(found) or "no stack of these files"
    which = ", ".join(sorted(known.values())) or "there is none"
    raise UnfitError(f"the cluster carries {what}; name one by --stack: {which}")


def unlike(name: str, server: ApiServer) -> str | None:
    """A sentence, where the cluster carries stacks of these files and not that one."""
    known, managers = _known(), _managers(server)
    found = sorted(known[manager] for manager in managers & known.keys())
    if not found or f"{STACK_MANAGER_PREFIX}{name}" in managers:
        return None
    return f"the cluster carries {' and '.join(found)}, not {name}: see --stack, or kubectl's current context"


def _known() -> dict[str, str]:
    """Stacks by the field manager of what they make."""
    return {f"{STACK_MANAGER_PREFIX}{file.stem}": file.stem for file in places.STACKS.glob("*.yaml")}


def _managers(server: ApiServer) -> set[str]:
    """Whoever has written a namespace of the cluster."""
    return {
        str(entry.get("manager"))
        for namespace in server.items("/api/v1/namespaces") or ()
        for entry in namespace["metadata"].get("managedFields") or ()
    }
