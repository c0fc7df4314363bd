"""Secrets in plain text, wherever a program may put one."""

from __future__ import annotations

import pytest

from tests.policy.conftest import broken, container, sent, tfjob

RULE = "no-secret-in-plain-text"
PASSWORD = "hunter2hunter2"
TOKEN = "hf_" + "a1" * 20


def release(**values):
    return sent("Release", version="helm.sh/v3", values=values)


def job(**change):
    return tfjob(pod={"containers": [container(**change)]})


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (job(env=[{"name": "DB_PASSWORD", "value": PASSWORD}]), "DB_PASSWORD in container tensorflow"),
        (job(env=[{"name": "NOTE", "value": TOKEN}]), "NOTE in container tensorflow"),
        (job(args=["--token", TOKEN]), "args of container tensorflow"),
        (sent("ConfigMap", data={"password": PASSWORD}), "password looks like"),
        (sent("ConfigMap", data={"app.yaml": f"smtp:\n  auth_password: {PASSWORD}\n"}), "smtp.auth_password"),
        (sent("ConfigMap", data={"notes.txt": f"use {TOKEN}"}), "notes.txt looks like"),
        (release(grafana={"adminPassword": PASSWORD}), "values.grafana.adminPassword"),
        (release(receivers=[{"url": f"https://me:{PASSWORD}@example.org"}]), "values.receivers[0].url"),
    ],
)
def test_a_secret_in_plain_text_is_refused_and_not_repeated(where, said):
    [message] = broken(RULE, where)
    assert said in message
    assert PASSWORD not in message
    assert TOKEN not in message


@pytest.mark.parametrize(
    "where",
    [
        job(env=[{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]),
        job(env=[{"name": "DB_PASSWORD_FILE", "value": "/run/secrets/db"}]),
        sent("Secret", data={"password": PASSWORD}),
        sent("ConfigMap", data={"train.py": "token = os.environ['TOKEN']\n"}),
        release(grafana={"admin": {"existingSecret": "grafana", "passwordKey": "admin-password"}}),
        release(alertmanager={"alertmanagerSpec": {"useExistingSecret": True, "configSecret": "routes"}}),
    ],
)
def test_what_only_names_a_secret_is_accepted(where):
    assert broken(RULE, where) == []
