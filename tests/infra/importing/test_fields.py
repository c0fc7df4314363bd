"""Fields that the API does not know are met with the place or the word that was meant."""

import pytest
import yaml

from infra import yaml_marks
from infra.cli import main
from tests.infra.importing.manifests import entry, faults, found, manifest, with_container, with_pod


@pytest.mark.parametrize(
    ("job", "place", "hint"),
    [
        (with_container(imagePullPolcy="Always"), "containers.0.imagePullPolcy", "write imagePullPolicy"),
        (with_container(nodeSelector={}), "containers.0.nodeSelector", "template.spec.nodeSelector"),
        (with_pod(command=[]), "spec.command", "template.spec.containers[].command"),
        (with_pod(priorityclassname="x"), "spec.priorityclassname", "write priorityClassName"),
        (manifest(suspend=True), "spec.suspend", "move it to spec.runPolicy.suspend"),
        (manifest(replicas=1), "spec.replicas", "move it to spec.tfReplicaSpecs.<role>.replicas"),
        (manifest(runPolicy={"backofLimit": 3}), "spec.runPolicy.backofLimit", "write backoffLimit"),
        (with_container(volumeMounts=[{"name": "d", "mountpath": "/d"}]), "mountpath", "write mountPath"),
        (with_container(command="python"), "containers.0.command", "write a list"),
        (with_container(env=[{"name": "A", "value": True}]), "env.0.value", "in quotes"),
        (with_container(volumeMounts=[{"name": "d", "mountPath": "/d"}]), "volumeMounts.0", "add it to"),
    ],
)
def test_a_wrong_field_is_found_where_it_stands(job, place, hint):
    [sentence] = [sentence for at, sentence in faults(job).items() if at.endswith(place)]
    assert hint in sentence


@pytest.mark.parametrize(
    "number", ["010", "089", "0x1F", "0b11", "0o17", "1_000", "1e3", ".inf", "-.inf", ".nan", "+.5", "y", "N"]
)
def test_text_that_kubectl_takes_for_a_number_is_refused_without_quotes(number):
    text = yaml.safe_dump(with_container(imagePullPolicy="VALUE"))
    [plain] = yaml_marks.parse_all(text.replace("VALUE", number))
    [sentence] = [s for place, s in faults(plain.data).items() if place.endswith("imagePullPolicy")]
    assert sentence == f'{number} stands here, and the API refuses it; write "{number}", in quotes'
    [quoted] = yaml_marks.parse_all(text.replace("VALUE", f'"{number}"'))
    assert not any(s.endswith("in quotes") for s in faults(quoted.data).values())


@pytest.mark.parametrize("text", ["2026-01-01", "1:30", "1.2.3", "e3", "_1", "0x", "10m"])
def test_other_text_needs_no_quotes(text):
    [read] = yaml_marks.parse_all(
        yaml.safe_dump(with_container(env=[{"name": "A", "value": "VALUE"}])).replace("VALUE", text)
    )
    assert entry(read.data)["env"] == {"A": text}


@pytest.mark.parametrize(("amount", "codes"), [("1e3", []), ("010", ["bad-value"]), ("0x1F", ["bad-value"])])
def test_an_amount_that_kubectl_reads_otherwise_is_refused(amount, codes):
    text = yaml.safe_dump(with_container(resources={"limits": {"cpu": "VALUE"}}))
    [read] = yaml_marks.parse_all(text.replace("VALUE", amount))
    assert found(read.data) == codes


@pytest.mark.parametrize("value", [31415926, 3141.5926, [31415926], {"a": 31415926}, "31415926"])
@pytest.mark.parametrize("field", ["env", "args", "command"])
def test_a_value_that_may_be_a_password_is_not_repeated(field, value):
    given = value if value == "31415926" else [value]
    job = with_container(**{field: [{"name": "A", "value": value}] if field == "env" else given})
    assert "31415926" not in " ".join(faults(job).values())
    assert faults(job) or isinstance(value, str)


def test_a_switch_is_shown_as_yaml_has_it():
    job = manifest()
    job["metadata"]["labels"] = {"w": True}
    [sentence] = faults(job).values()
    assert sentence == 'true stands here, and the API refuses it; write "true", in quotes'


def test_several_mistakes_are_found_in_one_run():
    job = with_container(imagePullPolcy="Always", resources={"requests": {"memory": "512m"}})
    job["spec"] |= {"cleanPodPolicy": "All", "successPolicy": "all"}
    assert len(faults(job)) == 4


def test_the_help_of_the_command_says_what_the_exit_code_means(capsys):
    try:
        main(["import", "--help"])
    except SystemExit:
        assert "2 if a file cannot be read" in " ".join(capsys.readouterr().out.split())
