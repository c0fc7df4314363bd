"""Complaints of models never repeat what may be a secret."""

import pytest
import yaml

from infra.models.dashboards import DashboardSpec
from infra.models.monitoring.servers import GrafanaSpec
from infra.models.names import without_credentials
from infra.places import ROOT

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
    assert "'https://...@reg.local' is not a registry; write lower-case" in said


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


def of(robot, **fields):
    return {"alerts": {"receivers": [{"name": "ops", robot: {"url_secret": "ops-url", **fields}}]}}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"monitoring": {"image_registry": "Reg/X"}}, "'Reg/X' is not a registry"),
        ({"monitoring": {"grafana": {"time_zone": "Asia/Shanghia"}}}, "write Asia/Shanghai"),
        ({"monitoring": {"grafana": {"time_zone": "Beijing time"}}}, "is not a time zone"),
        (of("dingtalk", at_mobiles=["138 0000"]), "'138 0000' is not a mobile number; write its digits"),
        (of("wecom_robot", mentioned_users=["王伟"]), "'王伟' is not a user id of WeCom; write the member's"),
        *(
            ({"monitoring": {}, "dashboards": [{"name": "a", "file": "a.json", "folder": folder}]}, said)
            for folder, said in [
                (".", "'.' is not the name of a folder; write a name without /"),
                ("..", "'..' is not the name of a folder"),
                ("a/b", "'a/b' is not the name of a folder"),
                ("a\\b", "is not the name of a folder"),
                ("", "'' is not the name of a folder"),
            ]
        ),
    ],
)
def test_each_text_is_refused_with_the_rule_of_its_own_field(stack_file, data, faults, change, sentence):
    said = [line for line in faults(stack_file(data | change)) if "dashboards folder" not in line]
    assert len(said) == 1, said
    assert sentence in said[0]
    assert ("registry" in said[0]) == ("registry" in sentence)


@pytest.mark.parametrize("zone", ["browser", "utc", "UTC", "Asia/Shanghai", "Etc/GMT+8", "Etc/GMT-14"])
def test_every_time_zone_there_is_may_be_shown(zone):
    assert GrafanaSpec(time_zone=zone).time_zone == zone


@pytest.mark.parametrize("folder", ["Colocation", "...", ".a", "视觉 team", "a.b"])
def test_a_folder_may_be_called_as_people_speak(folder):
    assert DashboardSpec(name="a", file="a.json", folder=folder).folder == folder


@pytest.mark.parametrize("written", ["[null]", "[~]", "[]", "[null, ops]"])
def test_null_without_quotes_is_told_to_need_them(stack_file, data, faults, written):
    text = (
        yaml.safe_dump(data)
        + f"""
alerts:
  receivers: [{{name: ops, webhook: {{url: "http://ops.example"}}}}]
  routes: [{{receivers: {written}}}]
"""
    )
    [said] = faults(stack_file(text))
    assert ('write "null" in quotes' in said) == (written != "[]")


def test_a_list_whose_one_item_is_faulty_is_not_called_too_short(stack_file, data, faults):
    data |= of("dingtalk") | {"monitoring": {}}
    data["alerts"]["routes"] = [{"receivers": ["Ops"]}]
    [said] = faults(stack_file(data))
    assert "'Ops' is not a valid name here" in said


def test_no_field_has_a_pattern_without_a_sentence_of_its_own():
    """pydantic's own `pattern=` would be told as a regular expression."""
    assert "pattern=" not in "".join(
        file.read_text("utf-8") for file in (ROOT / "infra/models").rglob("*.py")
    )
