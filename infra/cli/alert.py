"""`colo alert test`: one alert through the cluster's Alertmanager to one receiver, and whether it arrived."""

import argparse
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from components.cluster_access import NoClusterError
from components.rendering.delivery.labels import TEST_ID, TEST_RECEIVER
from components.rendering.delivery.receivers import integration
from components.rendering.delivery.words import WORDS
from infra import places
from infra.alertmanager import Alertmanager, AlertmanagerError
from infra.checks.references import missing
from infra.cli import UnfitError
from infra.cli.stacks import OF_THE_CLUSTER, asked, carried
from infra.load import StackFileError
from infra.models.alerts import AlertsSpec, ReceiverSpec
from infra.plan import plan
from infra.vocabulary import ALERTMANAGER_CONFIG_SECRET

ACTIONS = ("test",)
WITHIN_SECONDS = 90
POLL_SECONDS = 1.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Whom to try."""
    parser.description = (
        "Send one alert through the Alertmanager of KUBECONFIG's cluster to a receiver, wait, and say "
        "whether it was delivered. Exit code: 0 if it was, 1 if not."
    )
    parser.add_argument("action", choices=ACTIONS, help="send one")
    parser.add_argument("--receiver", metavar="NAME", required=True, help="one of the stack's receivers")
    parser.add_argument("--stack", metavar="NAME", help=f"whose; {OF_THE_CLUSTER}")


def run(args: argparse.Namespace) -> int:
    """0 if the alert was delivered."""
    try:
        name = args.stack if args.stack is not None else carried(asked())
        receiver, alerts, namespace = _receiver(name, args.receiver)
        found = Alertmanager.that_knows(receiver.name, namespace, ALERTMANAGER_CONFIG_SECRET)
        return _tried(found, receiver, alerts)
    except (AlertmanagerError, NoClusterError) as fault:
        raise UnfitError(str(fault)) from None


def _receiver(stack_name: str, name: str) -> tuple[ReceiverSpec, AlertsSpec, str]:
    """The receiver, what stands around it, and where Alertmanager runs."""
    file = places.stack_file(stack_name)
    try:
        stack = plan(file).stack
    except StackFileError as error:
        raise UnfitError(f"{places.shown(file)} has faults; see `colo check` ({error.findings[0]})") from None
    if stack.monitoring is None:
        raise UnfitError(
            f"the stack {stack_name} has no monitoring, so nothing delivers alerts; add `monitoring:`"
        )
    known = {spec.name: spec for spec in stack.alerts.receivers}
    for unknown in missing("receiver", (), name, known):
        raise UnfitError(f"{unknown.message}; {unknown.remedy}")
    return known[name], stack.alerts, stack.monitoring.namespace


def _tried(alertmanager: Alertmanager, receiver: ReceiverSpec, alerts: AlertsSpec) -> int:
    kind, started = integration(receiver), time.monotonic()
    test = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    before = alertmanager.requests(kind, receiver.name)
    alertmanager.fire(_alert(receiver.name, test, alerts), timedelta(seconds=WITHIN_SECONDS))
    print(f"sent to {alertmanager.pod}, which tells {receiver.name} now ...", file=sys.stderr)
    trouble = None
    while (passed := time.monotonic() - started) < WITHIN_SECONDS:
        time.sleep(POLL_SECONDS)
        # The counter first: what failed before it rose stands in the log by then.
        arrived = alertmanager.requests(kind, receiver.name).delivered > before.delivered
        trouble = alertmanager.trouble(test, int(passed) + 5)
        if trouble == "" or (trouble is None and arrived):
            over = ", and soon that it is over" if receiver.send_resolved else ""
            print(f"delivered: {receiver.name} has been told{over}")
            return 0
    reason = trouble or "its log says nothing of it: look for a silence that matches it"
    print(
        f"colo alert: not delivered to {receiver.name} within {WITHIN_SECONDS} s; {reason}", file=sys.stderr
    )
    return 1


def _alert(receiver: str, test: str, alerts: AlertsSpec) -> dict[str, Any]:
    return {
        "labels": {
            "alertname": "ColocationTest",
            "severity": "info",
            TEST_RECEIVER: receiver,
            TEST_ID: test,
        },
        "annotations": {"summary": WORDS[alerts.language].test.format(receiver=receiver)},
    }
