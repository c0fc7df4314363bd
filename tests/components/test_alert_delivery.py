"""What AlertDelivery and AlertRelay declare, decided without a cluster."""

import json
from base64 import b64decode

import pulumi
import pytest
import yaml

from components.alert_delivery import AlertDelivery, AlertDeliveryArgs
from components.alert_relay import AlertRelay, AlertRelayArgs
from infra.models.alerts import AlertsSpec
from infra.versions import PYTHON_IMAGE

SECRET = "kubernetes:core/v1:Secret"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
SERVICE = "kubernetes:core/v1:Service"
VALUES = {"ding-url": "https://ding.example/?access_token=t0ken", "ding-key": "SECkey", "mail-key": "pa55"}
ALERTS = {
    "language": "zh",
    "default_receiver": "ops",
    "receivers": [
        {"name": "ops", "dingtalk": {"url_secret": "ding-url", "sign_secret": "ding-key"}},
        {
            "name": "mail",
            "email": {
                "to": ["a@b.example"],
                "sender": "c@b.example",
                "host": "smtp.b.example",
                "username": "c",
                "password_secret": "mail-key",
            },
        },
    ],
}


def values(secret):
    """The data of a Secret, which Pulumi itself keeps as a secret."""
    marked = secret["data"]
    assert pulumi.runtime.rpc._special_sig_key in marked
    return marked["value"]


def arguments(**alerts):
    return {
        "alerts": AlertsSpec.model_validate(ALERTS | alerts),
        "cluster": "lab",
        "namespace": "monitoring",
        "labels": {"release": "obs"},
        "secrets": {name: pulumi.Output.secret(value) for name, value in VALUES.items()},
    }


@pytest.fixture
def delivery(declare):
    """The data of Alertmanager's Secret, decoded."""

    def build(**alerts):
        def program():
            AlertDelivery("alert-delivery", AlertDeliveryArgs(**arguments(**alerts)))

        secret = declare(program).only(SECRET).inputs
        assert secret["metadata"]["name"] == "colocation-alertmanager"
        assert secret["metadata"]["labels"] == {"release": "obs"}
        return {key: b64decode(value).decode() for key, value in values(secret).items()}

    return build


@pytest.fixture
def relay(declare):
    def build(relay=None, priority_class=None, **alerts):
        args = AlertRelayArgs(**arguments(relay=relay or {}, **alerts), priority_class=priority_class)
        return declare(lambda: AlertRelay("alert-relay", args))

    return build


def pod(declared):
    return declared.only(DEPLOYMENT).inputs["spec"]["template"]


def test_alertmanager_gets_configuration_templates_and_its_own_secrets_only(delivery):
    data = delivery()
    assert set(data) == {"alertmanager.yaml", "colocation.tmpl", "mail-key"}
    assert data["mail-key"] == "pa55"
    assert "级别" in data["colocation.tmpl"]


def test_no_secret_stands_in_the_configuration(delivery):
    data = delivery()
    text = data["alertmanager.yaml"] + data["colocation.tmpl"]
    assert not [value for value in VALUES.values() if value in text]
    assert "auth_password_file: /etc/alertmanager/config/mail-key" in text


def test_a_robot_is_reached_through_the_relay(delivery):
    [_, ops, _] = yaml.safe_load(delivery()["alertmanager.yaml"])["receivers"]
    [webhook] = ops["webhook_configs"]
    assert webhook == {
        "send_resolved": True,
        "url": "http://alert-relay.monitoring.svc:8080/dingtalk/ops",
    }


def test_the_receiver_of_nobody_stays_whatever_the_stack_says(delivery):
    for change in ({}, {"receivers": [], "default_receiver": None}):
        configuration = yaml.safe_load(delivery(**change)["alertmanager.yaml"])
        assert configuration["receivers"][0] == {"name": "null"}
        assert {"receiver": "null", "matchers": ['alertname=~"Watchdog|InfoInhibitor"']} in configuration[
            "route"
        ]["routes"]


def test_without_receivers_nobody_hears_of_anything(delivery):
    configuration = yaml.safe_load(delivery(receivers=[], default_receiver=None)["alertmanager.yaml"])
    assert configuration["route"]["receiver"] == "null"
    assert configuration["route"]["group_by"] == ["alertname", "namespace", "tfjob"]


def test_the_relay_gets_the_secrets_of_robots_only_and_as_files(relay):
    declared = relay()
    assert set(values(declared.only(SECRET).inputs)) == {"ding-url", "ding-key"}
    told = json.dumps([declared.only(CONFIG_MAP).inputs, declared.only(DEPLOYMENT).inputs])
    assert not [value for value in VALUES.values() if value in told]
    config = json.loads(declared.only(CONFIG_MAP).inputs["data"]["relay.json"])
    assert list(config["robots"]) == ["/dingtalk/ops"]
    assert config["robots"]["/dingtalk/ops"]["url_file"] == "ding-url"


def test_the_relays_pod_fits_the_restricted_level_and_talks_to_no_api_server(relay):
    spec = pod(relay())["spec"]
    [container] = spec["containers"]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert spec["automountServiceAccountToken"] is False
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }


def test_the_relay_runs_its_program_with_its_secrets(relay):
    declared = relay()
    spec = pod(declared)["spec"]
    [container] = spec["containers"]
    program, secrets = container["command"][-2:]
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in spec["volumes"]}
    folder, _, file = program.rpartition("/")
    assert volumes[mounts[folder]]["configMap"]["name"] == "alert-relay"
    assert volumes[mounts[secrets]]["secret"]["secretName"] == "alert-relay"
    compile(declared.only(CONFIG_MAP).inputs["data"][file], file, "exec")


def test_alertmanager_finds_the_relay_by_its_service(relay):
    declared = relay()
    service = declared.only(SERVICE).inputs["spec"]
    assert service["selector"].items() <= pod(declared)["metadata"]["labels"].items()
    [port] = service["ports"]
    [container] = pod(declared)["spec"]["containers"]
    assert (port["port"], container["ports"][0]["name"]) == (8080, port["targetPort"])


def test_the_image_is_the_stacks_or_the_pinned_one(relay):
    assert pod(relay())["spec"]["containers"][0]["image"] == PYTHON_IMAGE
    own = relay({"image": "registry.example/python:3.12"})
    assert pod(own)["spec"]["containers"][0]["image"] == "registry.example/python:3.12"


def test_a_changed_setting_makes_a_new_pod_and_a_changed_secret_does_not(relay, monkeypatch):
    before = pod(relay())["metadata"]["annotations"]
    assert pod(relay(language="en"))["metadata"]["annotations"] != before
    monkeypatch.setitem(VALUES, "ding-key", "another")
    assert pod(relay())["metadata"]["annotations"] == before


def test_the_relay_ranks_as_the_monitoring_does(relay):
    assert pod(relay(priority_class="online-high"))["spec"]["priorityClassName"] == "online-high"
    assert "priorityClassName" not in pod(relay())["spec"]
