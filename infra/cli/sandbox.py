"""`colo sandbox`: the embedded cluster, from the command line."""

from __future__ import annotations

import argparse
import signal
import sys

ACTIONS = {
    "build": "build every program and image that the sandbox needs",
    "up": "start the sandbox, building what is missing",
    "deploy": "start it, run `pulumi up --stack dev`, wait for the jobs, print a summary",
    "preview": "run `pulumi preview --stack dev --diff` with the policy pack against it",
    "env": "print shell lines that point pulumi and kubectl at it",
    "status": "say what of it runs; exit 1 if it is not up",
    "down": "stop it; its data stays",
    "clean": "stop it and remove its data; built programs stay cached",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "action",
        choices=ACTIONS,
        metavar="ACTION",
        help="; ".join(f"{action}: {what}" for action, what in ACTIONS.items()),
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out one action; 0 if it went well."""
    from sandbox.errors import SandboxError

    # As Ctrl-C: what is half made is put away.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _act(arguments.action)
    except SandboxError as error:
        print(f"colo sandbox {arguments.action}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"colo sandbox {arguments.action}: interrupted; run it again to go on", file=sys.stderr)
        return 130


def _act(action: str) -> int:
    if action in ("down", "clean"):
        return _end(action)
    from sandbox import cluster, deploy, pulumi
    from sandbox.errors import SandboxError
    from sandbox.progress import Progress, duration

    report = Progress()
    if action == "build":
        cluster.build(report)
    elif action == "up":
        cluster.up(report)
    elif action == "deploy":
        deploy.deploy(report)
    elif action == "preview":
        if not cluster.status().api_server_ready:
            raise SandboxError("the sandbox is not up: run `make up` first")
        workspace = pulumi.workspace(report)
        return workspace.preview("--diff").returncode
    elif action == "env":
        print("\n".join(pulumi.exports(pulumi.workspace(report))))
    elif action == "status":
        return _status()
    if action in ("build", "up"):
        total = sum(phase.seconds for phase in report.phases)
        print(f"done in {duration(total)}", file=sys.stderr)
    return 0


def _end(action: str) -> int:
    """Imports nothing but Python's own: there may be no environment, or a broken one."""
    from sandbox import teardown

    if action == "clean":
        teardown.clean()
    else:
        ended = teardown.down()
        print(f"ended: {', '.join(ended)}" if ended else "the sandbox was not running")
    return 0


def _status() -> int:
    from sandbox import cluster
    from sandbox.monitoring import alertmanager, prometheus

    status = cluster.status()
    print(f"running: {', '.join(status.running) or 'nothing'}")
    if status.missing:
        print(f"not running: {', '.join(status.missing)}")
    print(f"API server: {'ready' if status.api_server_ready else 'not ready'}")
    print(f"memory: {status.memory_bytes / 2**20:.0f} MiB")
    print(f"kubeconfig: {status.kubeconfig}")
    print(f"Prometheus: {prometheus.URL}")
    print(f"Alertmanager: {alertmanager.URL}")
    return 0 if status.up else 1
