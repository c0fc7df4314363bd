"""What is mounted into the pods of a job."""

import re

import pytest

from tests.components.jobs import container, pod, rendered


def mounted(*volumes, **change):
    """Volumes of the pod by name, and the mounts of the training."""
    spec = rendered(volumes=list(volumes), **change)
    rendered_volumes = pod(spec)["volumes"]
    by_name = {volume["name"]: volume for volume in rendered_volumes}
    assert len(by_name) == len(rendered_volumes)
    for mount in container(spec)["volumeMounts"]:
        assert mount["name"] in by_name
    return by_name, container(spec)["volumeMounts"]


def test_a_job_without_volumes_has_none():
    assert "volumes" not in pod(rendered())
    assert "volumeMounts" not in container(rendered())


def test_volumes_are_mounted_under_the_claim_that_storage_made():
    volumes = [
        {"claim": "data", "mount_path": "/data"},
        {"claim": "data", "mount_path": "/models", "read_only": True},
    ]
    spec = rendered(volumes=volumes, claims={"data": "data-made"})
    assert pod(spec)["volumes"] == [{"name": "data", "persistentVolumeClaim": {"claimName": "data-made"}}]
    assert container(spec)["volumeMounts"] == [
        {"name": "data", "mountPath": "/data", "readOnly": False},
        {"name": "data", "mountPath": "/models", "readOnly": True},
    ]


def test_a_claim_that_is_not_made_here_is_mounted_under_its_storages_name():
    [volume] = mounted({"claim": "data", "mount_path": "/data"}, claims={})[0].values()
    assert volume["persistentVolumeClaim"] == {"claimName": "data"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"existing_claim": "a.b"}, {"persistentVolumeClaim": {"claimName": "a.b"}}),
        ({"config_map": "a.b"}, {"configMap": {"name": "a.b"}}),
        ({"secret": "a.b"}, {"secret": {"secretName": "a.b"}}),
        ({"empty_dir": {}}, {"emptyDir": {}}),
        (
            {"empty_dir": {"in_memory": True, "size_limit": "1Gi"}},
            {"emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
        ),
    ],
)
def test_a_volume_comes_from_its_source_under_a_valid_name(source, expected):
    [volume] = mounted({**source, "mount_path": "/a/b"})[0].values()
    assert {key: value for key, value in volume.items() if key != "name"} == expected
    assert volume["name"] == "a-b"


def test_one_source_is_one_volume_with_several_mounts():
    by_name, mounts = mounted(
        {"config_map": "conf", "mount_path": "/a.yaml", "sub_path": "a.yaml"},
        {"config_map": "conf", "mount_path": "/b.yaml", "sub_path": "b.yaml"},
    )
    assert len(by_name) == 1
    assert [mount["subPath"] for mount in mounts] == ["a.yaml", "b.yaml"]


def test_sources_whose_names_would_meet_are_volumes_of_their_own():
    by_name, mounts = mounted(
        {"secret": "a.b", "mount_path": "/1"},
        {"config_map": "a.b", "mount_path": "/2"},
        {"existing_claim": "a-b", "mount_path": "/3"},
        {"empty_dir": {}, "mount_path": "/a/b"},
    )
    assert len(by_name) == 4
    assert [by_name[mount["name"]].keys() - {"name"} for mount in mounts] == [
        {"secret"},
        {"configMap"},
        {"persistentVolumeClaim"},
        {"emptyDir"},
    ]


@pytest.mark.parametrize("path", ["/_", "/Daten/Über", "/" + "x" * 200, "/x" * 40])
def test_every_path_and_long_name_becomes_a_valid_volume_name(path):
    volumes = ({"empty_dir": {}, "mount_path": path}, {"secret": "y" * 62 + ".z", "mount_path": "/z"})
    for name in mounted(*volumes)[0]:
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", name)


def test_long_names_that_begin_alike_stay_apart():
    long = "x" * 70
    by_name, _ = mounted(
        {"secret": long + "1", "mount_path": "/1"}, {"secret": long + "2", "mount_path": "/2"}
    )
    assert [len(name) for name in by_name] == [63, 63]


def test_a_script_is_mounted_read_only():
    spec = rendered(script="train.py", script_name="mnist-script-1")
    [volume], [mount] = pod(spec)["volumes"], container(spec)["volumeMounts"]
    assert volume["configMap"] == {"name": "mnist-script-1"}
    assert mount == {"name": volume["name"], "mountPath": "/opt/colocation/script", "readOnly": True}


def test_no_claim_takes_the_name_of_the_scripts_volume():
    claim = {"claim": "colocation-script", "mount_path": "/data"}
    by_name, mounts = mounted(claim, script="train.py", script_name="s")
    assert "persistentVolumeClaim" in by_name[mounts[0]["name"]]
    assert "configMap" in by_name[mounts[1]["name"]]
