"""Complaints of models never repeat what may be a secret."""

import pytest

from infra.models.names import without_credentials

SECRET = "s3cr3tpw"


@pytest.mark.parametrize(
    ("job", "shown"),
    [
        ({"env": {"DB_PASSWORD": 31415926}}, "a number stands here; write text"),
        ({"args": ["--password", 31415926]}, "a number stands here; write text"),
        ({"command": [True]}, "true or false stands here; write text"),
        ({"worker": {"env": {"A": [31415926]}}}, "a list stands here; write text"),
        ({"image": f"https://bot:{SECRET}@reg.local/x:1"}, "'https://...@reg.local/x:1' is not an image"),
    ],
)
def test_a_value_that_may_be_a_secret_is_not_repeated(stack_file, data, faults, job, shown):
    data["jobs"][0] |= job
    said = "\n".join(faults(stack_file(data)))
    assert shown in said
    assert SECRET not in said
    assert "31415926" not in said


def test_a_registry_is_shown_without_its_password(stack_file, data, faults):
    data["training_operator"] |= {"image_registry": f"https://bot:{SECRET}@reg.local"}
    [said] = faults(stack_file(data))
    assert "'https://...@reg.local' stands here" in said


def test_an_image_of_no_allowed_registry_is_shown_without_its_password(stack_file, data, faults):
    data["image_registries"] = ["registry.example"]
    image = {"name": "tensorflow", "image": f"https://bot:{SECRET}@reg.local/x"}
    data["jobs"][0] |= {"pod_overrides": {"containers": [image]}}
    said = "\n".join(faults(stack_file(data)))
    assert "https://... is from none" in said
    assert SECRET not in said


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        ("reg.local:5000/x:1@sha256:ab", "reg.local:5000/x:1@sha256:ab"),
        ("bot:pw@reg.local/x@sha256:ab", "...@reg.local/x@sha256:ab"),
        ("https://token@reg.local/x", "https://...@reg.local/x"),
        ("x@latest", "x@latest"),
    ],
)
def test_of_a_reference_only_user_and_password_are_left_out(reference, shown):
    assert without_credentials(reference) == shown
