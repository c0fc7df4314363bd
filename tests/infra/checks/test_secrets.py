"""Secrets that stand in the open. None of these values is one."""

import time

import pytest

from tests.infra.checks.jobs import SECRET, examined, found

AWS = "AKIA" + "Q" * 16
VALUE = "hunter2"


@pytest.mark.parametrize(
    "name",
    [
        "DB_PASSWORD",
        "DBPASSWORD",
        "password",
        "API_TOKEN",
        "CLIENT_SECRET",
        "WANDB_API_KEY",
        "SIGNING_KEY",
        "MYSQL_PWD",
    ],
)
def test_a_value_whose_name_says_that_it_is_secret_is_refused(name):
    assert found(env={name: VALUE}) == [("fault", "secret-in-plain-text", ("env", name))]


@pytest.mark.parametrize(
    "value",
    [
        AWS,
        "postgresql://reader:hunter2@db.example/features",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
        "ghp_" + "a1" * 18,
        "hf_" + "aB3" * 12,
    ],
)
def test_a_value_that_looks_like_a_credential_is_refused_under_any_name(value):
    assert found(env={"X": value}) == [("fault", "secret-in-plain-text", ("env", "X"))]
    assert found(args=["--x", value]) == [("fault", "secret-in-plain-text", ("args", 1))]


def test_a_long_value_is_looked_at_once():
    start = time.process_time()
    assert found(env={"A": "x" * 10**6, "B": "x." * 10**5 + "://"}, args=["a-" * 10**5]) == []
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TOKENIZER", "/models/tokenizer"),
        ("MAX_TOKENS", "512"),
        ("TOKEN_COUNT", "many"),
        ("PAD_TOKEN", "0"),
        ("PASSWORD_FILE", "/run/secrets/password"),
        ("DB_PASSWORD", "$(OTHER)"),
        ("API_TOKEN", ""),
        ("LABEL_KEY", "image/class"),
        ("SORT_KEY", "loss"),
        ("DATA", "s3://bucket/path@v2"),
        ("SERVER", "http://host:9000/x"),
        ("URL", "https://$(USER):$(PASSWORD)@db.example"),
    ],
)
def test_what_is_no_secret_passes(name, value):
    assert found(env={name: value}) == []


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"ps": {"env": {"TOKEN": VALUE}}}, ("ps", "env", "TOKEN")),
        (
            {"sidecars": [{"name": "s", "image": "a/b:1", "env": {"TOKEN": VALUE}}]},
            ("sidecars", 0, "env", "TOKEN"),
        ),
        (
            {
                "pod_overrides": {
                    "containers": [{"name": "tensorflow", "env": [{"name": "TOKEN", "value": VALUE}]}]
                }
            },
            ("pod_overrides", "containers", 0, "env", 0, "value"),
        ),
        (
            {"pod_overrides": {"containers": [{"name": "tensorflow", "args": [f"--key={AWS}"]}]}},
            ("pod_overrides", "containers", 0, "args", 0),
        ),
    ],
)
def test_no_container_is_forgotten(change, place):
    assert ("fault", "secret-in-plain-text", place) in found(**change)


def test_a_reference_to_a_secret_is_what_is_wanted():
    assert found(env_value_from={"DB_PASSWORD": SECRET}) == []


@pytest.mark.parametrize("change", [{"env": {"TOKEN": VALUE}}, {"args": [f"--dsn=mysql://u:{VALUE}@h/d"]}])
def test_the_value_is_never_repeated(change):
    [finding] = examined(**change)
    assert VALUE not in repr(finding)


def test_a_credential_in_an_annotation_is_refused():
    place = ("annotations", "example.org/key")
    assert found(annotations={place[1]: AWS}) == [("fault", "secret-in-plain-text", place)]


def test_a_script_that_holds_a_credential_is_a_warning_that_does_not_repeat_it():
    [finding] = examined(text=f"KEY = {AWS!r}\n")
    assert (finding.severity, finding.code, finding.place[2:]) == ("warning", "secret-in-script", ("script",))
    assert AWS not in finding.message + finding.remedy


@pytest.mark.parametrize(
    "address",
    ["f'postgres://{user}:{word}@{host}'", "'postgres://%s:%s@db' % x", "'https://<user>:<word>@h'"],
)
def test_an_address_that_a_script_fills_in_is_no_secret(address):
    assert examined(text=f"url = {address}\n") == ()
