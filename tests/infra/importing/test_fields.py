"""Fields that the API does not know are met with the place or the word that was meant."""

import pytest

from infra.cli import main
from tests.infra.importing.manifests import faults, manifest, with_container, with_pod


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
        (with_container(env=[{"name": "A", "value": True}]), "env.0.value", 'in quotes, "true"'),
        (with_container(volumeMounts=[{"name": "d", "mountPath": "/d"}]), "volumeMounts.0", "add it to"),
    ],
)
def test_a_wrong_field_is_found_where_it_stands(job, place, hint):
    [sentence] = [sentence for at, sentence in faults(job).items() if at.endswith(place)]
    assert hint in sentence


def test_several_mistakes_are_found_in_one_run():
    job = with_container(imagePullPolcy="Always", resources={"requests": {"memory": "512m"}})
    job["spec"] |= {"cleanPodPolicy": "All", "successPolicy": "all"}
    assert len(faults(job)) == 4


def test_the_help_of_the_command_says_what_the_exit_code_means(capsys):
    try:
        main(["import", "--help"])
    except SystemExit:
        assert "2 if a file cannot be read" in " ".join(capsys.readouterr().out.split())
