"""Mounts of a job, and its checkpoints."""

import pytest

from tests.infra.checks.jobs import found

DATA = {"claim": "data", "mount_path": "/data"}


def scratch(path):
    return {"empty_dir": {}, "mount_path": path}


def test_a_mount_inside_another_is_a_warning():
    place = ("volumes", 0, "mount_path")
    assert found(volumes=[scratch("/data/tmp"), DATA]) == [("warning", "mount-inside-mount", place)]
    assert found(volumes=[scratch("/database"), DATA]) == []


@pytest.mark.parametrize("path", ["/opt/colocation/script", "/opt/colocation/script/lib"])
def test_nothing_is_mounted_over_the_script(path):
    place = ("volumes", 1, "mount_path")
    assert found(volumes=[DATA, scratch(path)]) == [("fault", "mount-over-script", place)]
    assert [severity for severity, _, _ in found(script=None, volumes=[DATA, scratch(path)])] == ["advice"]


@pytest.mark.parametrize(
    ("path", "volumes"),
    [
        ("/elsewhere", [DATA]),
        ("/database", [DATA]),
        ("/scratch/run", [DATA, scratch("/scratch")]),
        ("/run", [DATA, {"secret": "s", "mount_path": "/run"}]),
    ],
)
def test_checkpoints_lie_on_a_claim(path, volumes):
    assert found(checkpoint_path=path, volumes=volumes) == [
        ("fault", "checkpoints-lost", ("checkpoint_path",))
    ]


def test_the_innermost_mount_holds_the_checkpoints():
    codes = found(checkpoint_path="/data/tmp/run", volumes=[DATA, scratch("/data/tmp")])
    assert ("fault", "checkpoints-lost", ("checkpoint_path",)) in codes


@pytest.mark.parametrize("claim", [{"claim": "data"}, {"existing_claim": "older"}])
def test_the_claim_of_checkpoints_can_be_written(claim):
    volume = claim | {"mount_path": "/data"}
    assert found(checkpoint_path="/data", volumes=[volume]) == []
    assert found(checkpoint_path="/data", volumes=[volume | {"read_only": True}]) == [
        ("fault", "checkpoints-read-only", ("checkpoint_path",))
    ]
