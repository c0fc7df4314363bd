"""Overrides of one role are looked at as those of the job are."""

from infra.checks import examine


def test_what_is_wrong_in_a_roles_overrides_is_found_at_the_role(data, subject):
    data["jobs"][0]["worker"]["pod_overrides"] = {"hostNetwork": True, "restartPolicy": "Never", "colour": 1}
    at = ("jobs", 0, "worker", "pod_overrides")
    found = {(f.code, f.place) for f in examine(subject(data)) if f.place[:4] == at}
    assert ("pod-security-refuses", (*at, "hostNetwork")) in found
    assert ("override-of-restart-policy", (*at, "restartPolicy")) in found
    assert ("override-of-unknown-field", (*at, "colour")) in found
