"""Raw fields of the pod."""

import pytest

from tests.infra.checks.jobs import examined, found


def at(*path):
    return ("pod_overrides", *path)


@pytest.mark.parametrize(
    ("overrides", "place", "message", "remedy"),
    [
        ({"hostAlias": []}, ("hostAlias",), "hostAlias is no field of a PodSpec", "write hostAliases"),
        ({"dns_policy": "None"}, ("dns_policy",), "dns_policy is no field of a PodSpec", "write dnsPolicy"),
        (
            {"containers": [{"name": "tensorflow", "volumeMount": []}]},
            ("containers", 0, "volumeMount"),
            "volumeMount is no field of a Container",
            "write volumeMounts",
        ),
    ],
)
def test_a_field_that_a_pod_does_not_have_gets_the_nearest_that_it_has(overrides, place, message, remedy):
    [finding] = examined(pod_overrides=overrides)
    assert (finding.code, finding.place[2:]) == ("override-of-unknown-field", at(*place))
    assert (finding.message, finding.remedy) == (message, remedy)


def test_a_field_like_no_other_is_to_be_removed():
    [finding] = examined(pod_overrides={"zzz": 1})
    assert finding.remedy.startswith("remove it")


@pytest.mark.parametrize(
    ("overrides", "place"),
    [
        ({"tolerations": {}}, ("tolerations",)),
        ({"dnsConfig": []}, ("dnsConfig",)),
        ({"hostname": 7}, ("hostname",)),
        ({"terminationGracePeriodSeconds": "30"}, ("terminationGracePeriodSeconds",)),
        ({"terminationGracePeriodSeconds": True}, ("terminationGracePeriodSeconds",)),
        ({"setHostnameAsFQDN": "true"}, ("setHostnameAsFQDN",)),
        ({"nodeSelector": {"a": True}}, ("nodeSelector", "a")),
    ],
)
def test_a_value_of_another_kind_is_refused(overrides, place):
    assert found(pod_overrides=overrides) == [("fault", "override-of-wrong-kind", at(*place))]


@pytest.mark.parametrize(
    "overrides",
    [
        {"dnsConfig": {"options": [{"name": "ndots", "value": "2"}]}},
        {"hostname": None},
        {"containers": [{"name": "tensorflow", "resources": {"limits": {"cpu": 2}}}]},
        {"volumes": [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": 1048576}}]},
        {"containers": [{"name": "tensorflow", "livenessProbe": {"httpGet": {"port": 80}}}]},
        {"containers": [{"name": "tensorflow", "livenessProbe": {"httpGet": {"port": "metrics"}}}]},
    ],
)
def test_what_a_pod_may_say_passes(overrides):
    assert found(pod_overrides=overrides) == []


@pytest.mark.parametrize("odd", [None, 3, True, "x", [], {}, [3], [{"name": {}}], {"name": []}])
def test_whatever_stands_there_no_check_ends_by_it(odd):
    context = {"capabilities": {"add": odd, "drop": odd}, "seccompProfile": odd, "windowsOptions": odd}
    container = {"name": "tensorflow", "securityContext": context}
    container |= dict.fromkeys(("args", "env", "image", "ports"), odd)
    examined(pod_overrides={"containers": [container]})
    for field in ("containers", "initContainers", "volumes", "securityContext", "nodeName", "restartPolicy"):
        examined(pod_overrides={field: odd})


def test_a5_a_restart_policy_in_the_pod_is_overwritten_by_the_roles():
    [finding] = examined(pod_overrides={"restartPolicy": "OnFailure"})
    assert (finding.severity, finding.code) == ("fault", "override-of-restart-policy")
    assert finding.remedy == "write worker.restart_policy"


@pytest.mark.parametrize("override", [{"priorityClassName": "online-high"}, {"priority": 5}])
def test_a_job_ranks_as_it_says(override):
    [field] = override
    assert found(pod_overrides=override) == [("fault", "override-of-priority", at(field))]


def test_a_node_by_name_bypasses_the_scheduler():
    assert found(pod_overrides={"nodeName": "n1"}) == [("warning", "scheduler-bypassed", at("nodeName"))]
