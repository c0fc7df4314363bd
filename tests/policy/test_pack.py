"""The rules as policies, and values that only the update will know."""

from __future__ import annotations

import json

import pytest
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE, unknown_checking_proxy

from infra.places import ROOT
from infra.plan import plan
from policy.objects import UNKNOWN, declared
from policy.pack import policies
from tests.policy.conftest import RULES, broken, tfjob

STACKS = ("dev", "staging", "prod")


def proxied(sent, **change):
    """As the engine hands it over in a preview."""
    token = f"kubernetes:{sent.api_version}:{sent.kind}"
    return declared(token, unknown_checking_proxy(json.loads(json.dumps({**sent.props, **change}))))


def test_every_rule_is_a_policy_of_its_own_name():
    names = [policy.name for policy in policies()]
    assert len(names) == len(set(names)) == len(RULES)


def test_every_setting_has_a_default():
    assert [s for rule in RULES.values() for s in rule.settings.values() if "default" not in s] == []


@pytest.mark.parametrize("rule", RULES)
def test_a_sound_job_that_comes_from_the_engine_breaks_no_rule(rule):
    assert broken(rule, proxied(tfjob())) == []


@pytest.mark.parametrize("rule", RULES)
def test_what_is_not_known_yet_is_held_against_nobody(rule):
    pod = {
        "priorityClassName": UNKNOWN_STRING_VALUE,
        "nodeSelector": UNKNOWN_STRING_VALUE,
        "containers": [
            {
                "name": UNKNOWN_STRING_VALUE,
                "image": UNKNOWN_STRING_VALUE,
                "env": [{"name": "PASSWORD", "value": UNKNOWN_STRING_VALUE}],
                "resources": {"requests": UNKNOWN_STRING_VALUE, "limits": UNKNOWN_STRING_VALUE},
            }
        ],
    }
    metadata = {"name": UNKNOWN_STRING_VALUE, "namespace": UNKNOWN_STRING_VALUE}
    job = proxied(tfjob(pod=pod, replica={"restartPolicy": UNKNOWN_STRING_VALUE}), metadata=metadata)
    assert broken(rule, job) == []


def test_unknown_values_are_there_and_say_nothing():
    job = proxied(tfjob(), metadata={"name": UNKNOWN_STRING_VALUE})
    assert job.body["metadata"]["name"] is UNKNOWN
    assert (job.name, job.namespace, str(job)) == (None, None, "TFJob (unnamed)")


@pytest.mark.parametrize(
    "token", ["pulumi:providers:kubernetes", "colocation:training:TrainingJob", "aws:s3:Bucket"]
)
def test_what_is_not_of_kubernetes_is_passed_over(token):
    assert declared(token, {}) is None


@pytest.mark.parametrize("stack", STACKS)
def test_the_config_of_a_stack_names_rules_and_settings_that_exist(stack):
    config = json.loads((ROOT / "policy" / "config" / f"{stack}.json").read_text())
    for name, settings in config.items():
        assert set(settings) <= {*RULES[name].settings, "enforcementLevel"}


@pytest.mark.parametrize("stack", STACKS)
def test_the_config_of_a_stack_allows_the_registries_that_its_file_names(stack):
    config = json.loads((ROOT / "policy" / "config" / f"{stack}.json").read_text())
    allowed = config.get("images-from-allowed-registries", {}).get("registries", [])
    named = plan(ROOT / "stacks" / f"{stack}.yaml").stack.image_registries
    assert set(named) <= set(allowed)
    assert bool(named) == bool(allowed)  # what may be from anywhere is restrained by neither
