"""The words of messages, for Alertmanager's templates and for the relay alike."""

from collections.abc import Mapping
from dataclasses import dataclass

from infra.models.alerts.alerts import Language


@dataclass(frozen=True, kw_only=True)
class Words:
    """What stands in a message beside the alert's own texts."""

    firing: str
    resolved: str
    severity: str
    severities: Mapping[str, str]
    """By the alert's label; one that is not listed is shown as it is."""
    cluster: str
    namespace: str
    job: str
    since: str
    runbook: str
    source: str
    """Of the link to the expression in Prometheus."""
    left_out: str
    """Has the fields `{shown}` and `{all}`."""
    test: str
    """Of an alert that only tries a receiver; has the field `{receiver}`."""


WORDS: Mapping[Language, Words] = {
    "en": Words(
        firing="FIRING",
        resolved="RESOLVED",
        severity="Severity",
        severities={"critical": "critical", "warning": "warning", "info": "info"},
        cluster="Cluster",
        namespace="Namespace",
        job="Job",
        since="Since",
        runbook="Runbook",
        source="Graph",
        left_out="{shown} of {all} alerts are shown.",
        test="A test of the receiver {receiver}; nothing is wrong.",
    ),
    "zh": Words(
        firing="告警",
        resolved="恢复",
        severity="级别",
        severities={"critical": "严重", "warning": "警告", "info": "提示"},
        cluster="集群",
        namespace="命名空间",
        job="作业",
        since="开始时间",
        runbook="处理手册",
        source="图表",
        left_out="共 {all} 条告警，此处显示 {shown} 条。",
        test="接收者 {receiver} 的测试告警，一切正常。",
    ),
}
