"""Overrides of one role are looked at as those of the job are."""

from infra.checks import examine


def test_what_is_wrong_in_a_roles_overrides_is_found_at_the_role(data, subject):
    data["jobs"][0]["worker"]["pod_overrides"] = {"hostNetwork": True, "restartPolicy": "Never", "colour": 1}
    at = ("jobs", 0, "worker", "pod_overrides")
    found = {(f.code, f.place) for f in examine(subject(data)) if f.place[:4] == at}
    assert ("pod-security-refuses", (*at, "hostNetwork")) in found
    assert ("override-of-restart-policy", (*at, "restartPolicy")) in found
    assert ("override-of-unknown-field", (*at, "colour")) in found


def test_a_container_that_a_roles_overrides_add_is_weighed_at_the_role(data, subject):
    data["jobs"][0]["ps"] = {}
    added = {"name": "logs", "image": "registry.example/logs:1", "resources": {"limits": {"memory": "1"}}}
    data["jobs"][0]["worker"]["pod_overrides"] = {"containers": [added]}
    found = {(f.code, f.place[:4]) for f in examine(subject(data))}
    assert ("bad-amount", ("jobs", 0, "worker", "pod_overrides")) in found
