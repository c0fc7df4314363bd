"""Which secrets a stack names, and where they are kept."""

import pulumi
import pytest

from infra.models import Stack
from infra.stack_secrets import beside, secret_names, stored_in

ALERTS = {
    "receivers": [
        {"name": "a", "dingtalk": {"url_secret": "url", "sign_secret": "key"}},
        {"name": "b", "webhook": {"url_secret": "url"}},
    ]
}


@pytest.fixture
def config_file(tmp_path):
    """Writes the config of the stack `lab`; the stack's own file."""

    def write(text):
        (tmp_path / "Pulumi.lab.yaml").write_text(text)
        return tmp_path / "stacks" / "lab.yaml"

    return write


def test_a_secret_is_named_once_and_only_where_there_is_monitoring():
    assert secret_names(Stack.model_validate({"alerts": ALERTS, "monitoring": {}})) == ("key", "url")
    assert secret_names(Stack.model_validate({"alerts": ALERTS})) == ()


def test_the_config_beside_a_stack_says_what_is_encrypted(config_file):
    file = config_file("config: {colocation:url: {secure: v1:x}, colocation:key: text, other:b: {secure: y}}")
    stored = beside(file)
    assert [stored(name) for name in ("url", "key", "b")] == [True, False, None]


@pytest.mark.parametrize("text", ["", "config:", "config: {}"])
def test_a_config_without_values_has_no_secret(config_file, text):
    assert beside(config_file(text))("url") is None


@pytest.mark.parametrize("text", ["- a", "config: [", "config: [1]"])
def test_what_is_no_config_says_nothing(config_file, text):
    assert beside(config_file(text)) is None


def test_without_a_config_nothing_is_known(tmp_path):
    assert beside(tmp_path / "stacks" / "lab.yaml") is None


def test_pulumi_knows_what_it_was_given_as_a_secret():
    pulumi.runtime.set_all_config({"colocation:url": "x", "colocation:key": "y"}, ["colocation:url"])
    try:
        stored = stored_in(pulumi.Config("colocation"))
        assert [stored(name) for name in ("url", "key", "other")] == [True, False, None]
    finally:
        pulumi.runtime.set_all_config({})
