"""The project's own stacks, as they are sent, break no rule; nor does one with all that can be added."""

from __future__ import annotations

import json

import pytest
import yaml

from infra import rendered
from infra.layers import layered
from infra.places import ROOT, STACKS
from infra.plan import plan
from policy.objects import declared
from tests.policy.conftest import RULES, broken

OF_OPTIONS = {"claims-are-protected", "namespaces-with-data-are-kept"}  # rendering has none
WATCHED = {
    "node_protection": {},
    "monitoring": {"install": True, "gpu_metrics": {"install": True}},
    "alerts": {
        "receivers": [
            {"name": "ops", "dingtalk": {"url_secret": "dingtalk-ops-url"}},
            {
                "name": "mail",
                "email": {
                    "to": ["ops@example.org"],
                    "sender": "colo@example.org",
                    "host": "smtp.example.org",
                },
            },
        ],
        "routes": [{"receivers": ["ops", "mail"]}],
    },
}


def sent_by(file, name):
    config = json.loads((ROOT / "policy" / "config" / f"{name}.json").read_text())
    found = [
        sent
        for one in rendered.declared(plan(file), name, show_secrets=False)
        if (sent := declared(one.type, one.props, urn=one.name)) is not None
    ]
    return config, found


@pytest.fixture(scope="module", params=["dev", "staging", "prod", "watched"])
def stack(request, tmp_path_factory):
    if request.param != "watched":
        return sent_by(STACKS / f"{request.param}.yaml", request.param)
    folder = tmp_path_factory.mktemp("watched") / "stacks"
    folder.mkdir()
    (folder / "scripts").symlink_to(STACKS / "scripts")
    data = {k: v for k, v in layered(STACKS / "prod.yaml").source.data.items() if k != "extends"}
    (folder / "prod.yaml").write_text(yaml.safe_dump({**data, **WATCHED, "image_registries": []}))
    config, found = sent_by(folder / "prod.yaml", "prod")
    del config["images-from-allowed-registries"]
    return config, found


@pytest.mark.parametrize("rule", sorted(RULES.keys() - OF_OPTIONS))
def test_the_projects_own_stacks_break_no_rule(rule, stack):
    config, found = stack
    settings = config.get(rule, {})
    assert broken(rule, *found, **settings) == []
