"""Fixtures for tests that declare resources without an engine, or that ask the real promtool."""

import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi
import pytest
from hypothesis import settings
from pulumi.runtime.mocks import MockCallArgs, MockMonitor, MockResourceArgs

from sandbox import programs, tools
from sandbox.errors import SandboxError

# The same examples in every run: a test that fails once fails until it is mended.
settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")


class Declared(pulumi.runtime.Mocks):
    """Stands in for the engine and keeps everything the program declared."""

    def __init__(self) -> None:
        self.resources: list[MockResourceArgs] = []
        self.waits_for: dict[str, set[str]] = {}
        self.requests: dict[str, Any] = {}
        """What was sent to the engine, by resource name: protect, parent, ignoreChanges, …"""

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        self.resources.append(args)
        outputs = dict(args.inputs)
        if isinstance(outputs.get("metadata"), dict):  # as the API server answers
            outputs["metadata"] = {**outputs["metadata"], "uid": f"{args.name}-uid"}
        return f"{args.name}-id", outputs

    def call(self, args: MockCallArgs) -> dict[str, Any]:
        raise AssertionError(f"unexpected invoke of {args.token}")

    def all(self, typ: str) -> list[MockResourceArgs]:
        """Every resource of a type, in the order they were declared."""
        return [resource for resource in self.resources if resource.typ == typ]

    def only(self, typ: str) -> MockResourceArgs:
        """The one resource of a type."""
        found = self.all(typ)
        assert len(found) == 1, f"{[r.name for r in found]} of type {typ}"
        return found[0]

    def named(self, name: str) -> MockResourceArgs:
        """The one resource of a logical name."""
        found = [resource for resource in self.resources if resource.name == name]
        assert len(found) == 1, f"{name!r} not among {[r.name for r in self.resources]}"
        return found[0]

    def names(self) -> list[str]:
        """Logical names in the order of declaration."""
        return [resource.name for resource in self.resources]


class Monitor(MockMonitor):
    """Keeps what MockMonitor throws away: dependencies and options."""

    mocks: Declared

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 (gRPC's name)
        self.mocks.waits_for[request.name] = {urn.split("::")[-1] for urn in request.dependencies}
        self.mocks.requests[request.name] = request
        return super().RegisterResource(request)


Declare = Callable[[Callable[[], Any]], Declared]


@pytest.fixture
def declare() -> Declare:
    """Run a program to its end and return what it declared."""

    def run(program: Callable[[], Any]) -> Declared:
        declared = Declared()
        pulumi.runtime.set_mocks(
            declared, project="colocation", stack="test", preview=False, monitor=Monitor(declared)
        )

        @pulumi.runtime.test  # drains every registration before returning
        def to_the_end() -> None:
            program()

        to_the_end()
        return declared

    return run


@pytest.fixture(scope="session")
def loopbacks() -> tuple[str, ...]:
    """Hosts of URLs of this machine: of IPv4, and of IPv6 where it has that."""
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return ("127.0.0.1", "[::1]")
    except OSError:
        return ("127.0.0.1",)


@pytest.fixture(scope="session")
def promtool() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs it with arguments; returns the finished process."""
    program: str | Path | None = shutil.which("promtool")
    if program is None and "promtool" in programs.names():
        try:
            program = tools.folder(programs.group_of("promtool")) / "promtool"
        except SandboxError as missing:
            pytest.skip(str(missing))
    if program is None or not shutil.which(program):
        pytest.skip("promtool is not here; run `colo sandbox build`")

    def run(*args: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([program, *args], capture_output=True, text=True, check=False)

    return run
