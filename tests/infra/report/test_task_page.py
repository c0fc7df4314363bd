"""The page about `colo report` shows what the command says."""

import re

import pytest
import yaml

from infra.cli import main
from infra.places import ROOT
from tests.infra.report.world import samples

TEXT = (ROOT / "docs" / "tasks" / "report.md").read_text("utf-8")
COMMANDS = re.findall(r"^\.venv/bin/colo (report[^#\n]*)", TEXT, re.MULTILINE)


@pytest.fixture
def prod(server, data, tmp_path, monkeypatch):
    """A stack of that name, which the cluster carries; what is written lands beside it."""
    data["monitoring"] = {"install": False}
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "train.py").write_text("print()\n")
    (tmp_path / "prod.yaml").write_text(yaml.safe_dump(data))
    monkeypatch.setattr("infra.places.STACKS", tmp_path)
    monkeypatch.chdir(tmp_path)
    entry = {"metadata": {"name": "vision", "managedFields": [{"manager": "colocation-prod"}]}}
    server.answers["/api/v1/namespaces"] = {"items": [entry]}
    return server


def test_the_example_is_what_the_command_says(prod, prometheus, capsys):
    prometheus(samples()).behind(prod)
    [command] = [command for command in COMMANDS if "--from" in command]
    assert main(command.split()) == 0
    [shown] = re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL)
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_understood(prod, capsys, command):
    """There are no samples of today."""
    prod.answers |= {
        f"/api/v1/namespaces/monitoring/services/prometheus-operated:9090/proxy/api/v1/{path}": {
            "data": {"result": []}
        }
        for path in ("query", "query_range")
    }
    assert main(command.split()) == 2
    assert "Prometheus has no metrics of nodes from " in capsys.readouterr().err
