"""Labels of alerts by which they are grouped, routed and described."""

from typing import Final

JOB: Final = "tfjob"
GROUP_BY: Final = ("alertname", "namespace", JOB)
"""One message tells of one trouble of one job; `job` is a word of Prometheus' for what it scrapes."""
TEST_RECEIVER: Final = "colocation_test_receiver"
"""Leads an alert straight to the receiver that it names; no rule sets it."""
TEST_ID: Final = "colocation_test"
"""Tells one such alert from another."""
NOBODY: Final = "null"
"""The receiver that drops alerts. Alertmanager does not start without each receiver that a route names."""
NOISE: Final = ("Watchdog", "InfoInhibitor")
"""Alerts that say that alerting works, and that infos are to keep silent: nothing for people."""
