"""`colo report`: what colocation brings, measured."""

import argparse
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from components.cluster_access import NoClusterError
from infra import places
from infra.cli import UnfitError
from infra.cli.stacks import add_stack, asked, chosen
from infra.cluster.api_server import ApiServer
from infra.cluster.prometheus import Prometheus
from infra.plan import Plan
from infra.report.figures import Report
from infra.report.reader import read
from infra.report.remedies import NothingError
from infra.report.text import FORMATS, written
from infra.report.window import Window, WindowError, back_from, between
from infra.report.work_out import work_out

_LENGTH = "1d"


def configure(parser: argparse.ArgumentParser) -> None:
    """Which stack, over which time, and how it is written."""
    parser.description = (
        "Say over a window of time, from Prometheus, how full the cluster was with online and offline work, "
        "what pods ask for and use, what stood idle, how many machines colocation saves, and what it costs. "
        "What is not measured is said, and the rest goes on. Exit code: 0; 1 if the page "
        "could not be written; 2 if there was no way to look."
    )
    parser.epilog = "docs/tasks/report.md says what each figure is."
    add_stack(parser)
    parser.add_argument("--window", metavar="TIME", help=f"until now, such as 12h or 7d; default: {_LENGTH}")
    parser.add_argument("--from", dest="start", metavar="MOMENT", help="such as 2026-03-01T08:00:00Z")
    parser.add_argument("--to", dest="end", metavar="MOMENT", help="default: now")
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: %(default)s")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write a page with charts too")


def run(args: argparse.Namespace) -> int:
    """Print the report, and write the page; 2 if there is nothing to look at."""
    try:
        server = asked()
        window = _window(args, server)
        file = None if args.html is None else _drawable(args.html)
        name, ready = chosen(args, server)
        report = _report(server, name, ready, window)
    except (NoClusterError, UnfitError, NothingError) as fault:
        print(f"colo report: cannot look: {fault}", file=sys.stderr)
        return 2
    try:
        if file is not None:
            _write(file, report)
    except OSError as fault:
        raise UnfitError(f"{args.html} cannot be written ({fault.strerror}); name another") from None
    finally:
        print(written(report, args.format))  # what was asked for is told, whatever becomes of the page
    if file is not None:
        print(f"wrote {places.shown(file)}", file=sys.stderr)
    return 0


def _window(args: argparse.Namespace, server: ApiServer) -> Window:
    try:
        if args.start is None and args.end is None:
            return back_from(server.now, _LENGTH if args.window is None else args.window)
        if args.window is not None:
            raise UnfitError("--window is until now, and does not go with --from and --to; write one of them")
        if args.start is None:
            raise UnfitError("--to needs --from, the beginning of the window")
        return between(server.now, args.start, args.end)
    except WindowError as fault:
        raise UnfitError(str(fault)) from None


def _report(server: ApiServer, name: str, ready: Plan, window: Window) -> Report:
    stack = ready.stack
    if stack.monitoring is None:
        raise UnfitError(
            f"stack {name} has no `monitoring:`, so no Prometheus is known; add it, see "
            "docs/tasks/monitoring.md"
        )
    if not stack.classes("offline"):
        raise UnfitError(
            f"stack {name} has no offline class under `priorities:`, so nothing tells training from "
            "services; add one"
        )
    prometheus = Prometheus(server, stack.monitoring.namespace)
    return work_out(name, window, read(prometheus, stack, window))


def _drawable(file: Path) -> Path:
    """Where the page goes, links followed; told before anything is asked, which takes its time."""
    try:
        import matplotlib  # noqa: F401 (only whether it is there)
    except ImportError:
        raise UnfitError(
            "--html needs matplotlib, which is not installed; install the extra `charts`: "
            f"{sys.executable} -m pip install '.[charts]' where pyproject.toml is"
        ) from None
    target = Path(os.path.realpath(file))
    if not target.parent.is_dir():
        raise UnfitError(f"{file} is in a folder that is not there; make it, or name a file in another")
    try:
        if target.exists() and not target.is_file():  # it would be replaced
            raise UnfitError(f"{file} is {'a folder' if target.is_dir() else 'no plain file'}; name another")
        tempfile.TemporaryFile(dir=target.parent).close()
    except OSError as fault:
        raise UnfitError(f"{file} cannot be written ({fault.strerror}); name another") from None
    return target


def _write(file: Path, report: Report) -> None:
    """All of it or nothing: whoever has the page open never sees half of one."""
    from infra.report.page import page

    text = page(report)
    handle, name = tempfile.mkstemp(prefix=".colo-report.", dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
