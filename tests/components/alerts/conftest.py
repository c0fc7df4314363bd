"""Rules as the real promtool reads and evaluates them."""

import pytest
import yaml

from components.rendering.alerts import Facts, layers, rule_specs
from tests.components.alerts.cases import promtool_test

FACTS = Facts(
    namespaces=("vision",),
    offline_classes=("offline-low",),
    online_classes=("online-high",),
    gpus=True,
    schedules=("nightly",),
)


@pytest.fixture(scope="session")
def rule_files(tmp_path_factory):
    """Folders with a rule file for each layer, by language."""
    folders = {}
    for language in ("en", "zh"):
        folders[language] = tmp_path_factory.mktemp(f"rules-{language}")
        for layer, spec in rule_specs(FACTS, language).items():
            (folders[language] / f"{layer}.yaml").write_text(yaml.safe_dump(spec, allow_unicode=True))
    return folders


@pytest.fixture
def holds(promtool, rule_files):
    """Whether an alert fires in one situation, with its labels and texts, and stays quiet in another."""
    alerts = {alert.name: alert for found in layers(FACTS).values() for alert in found}

    def run(name, case):
        tests = []
        for language, folder in rule_files.items():
            tests.append(folder / f"test-{name}.yaml")
            text = yaml.safe_dump(promtool_test(alerts[name], case, language), allow_unicode=True)
            tests[-1].write_text(text)
        done = promtool("test", "rules", *tests)
        assert done.returncode == 0, done.stdout + done.stderr

    return run
