"""Node protection keeps training off some cores, on a tree of control groups that is made of files."""

import errno
from pathlib import Path

import pytest

from tests.components.protect_node.control_groups import SERVICE, TRAINING, Node, event, protection


def test_offline_pods_are_kept_off_whole_cores_and_no_other_pod_is(node):
    node.run(TRAINING)
    node.run(SERVICE)
    of = protection(node, spare=1)
    of.hears("vision", event(TRAINING))
    of.hears("vision", event(SERVICE, priority="online-high"))
    of.look()
    before = "" if node.v2 else "0-7"
    assert (node.cpus(TRAINING), node.cpus(SERVICE)) == ("1,2,3,5,6,7", before)
    # Version 1 wants that no group inside has more.
    assert node.cpus(TRAINING, "ctr") == ("" if node.v2 else "1,2,3,5,6,7")
    assert of.problem() == ""


@pytest.mark.parametrize("setting", [2, 0])
def test_at_the_end_they_may_use_all_cores_again_also_what_a_killed_run_took(node, setting):
    node.run(TRAINING)
    killed = protection(node, spare=1)
    killed.hears("vision", event(TRAINING))
    killed.look()
    assert node.cpus(TRAINING) == "1,2,3,5,6,7"
    of = protection(node, spare=setting)
    of.hears("vision", event(TRAINING))
    of.look()
    of.put_back()
    whole = "" if node.v2 else "0,1,2,3,4,5,6,7"
    assert {node.cpus(TRAINING), node.cpus(TRAINING, "ctr"), node.cpus(TRAINING, "pause")} == {whole}


def test_what_was_taken_is_given_back_also_while_a_watch_begins_anew(node):
    node.run(TRAINING)
    of = protection(node, spare=1)
    of.hears("vision", event(TRAINING))
    of.look()
    of.begins("vision")
    of.put_back()
    assert (node.idle(TRAINING), node.cpus(TRAINING)) == (0, "" if node.v2 else "0,1,2,3,4,5,6,7")


def test_a_container_that_vanishes_keeps_no_other_from_its_cores(tmp_path, monkeypatch):
    node = Node(tmp_path, "v1, cgroupfs")
    node.run(TRAINING)
    of = protection(node, spare=1)
    of.hears("vision", event(TRAINING))
    of.look()
    gone = node.cpuset(node.folder(TRAINING)) / "pause" / "cpuset.cpus"
    write_text = Path.write_text

    def write(path, text, *rest):
        if path == gone:
            path.unlink()
            path.parent.rmdir()
            raise OSError(errno.ENODEV, "No such device")
        return write_text(path, text, *rest)

    monkeypatch.setattr(Path, "write_text", write)
    of.put_back()
    assert (node.cpus(TRAINING), node.cpus(TRAINING, "ctr")) == ("0,1,2,3,4,5,6,7",) * 2


def test_a_container_that_comes_in_the_middle_is_no_trouble(tmp_path, monkeypatch):
    node = Node(tmp_path, "v1, cgroupfs")
    node.run(TRAINING)
    outer = node.cpuset(node.folder(TRAINING)) / "cpuset.cpus"
    refusals = [OSError(errno.EBUSY, "Device or resource busy")]
    write_text = Path.write_text

    def write(path, text, *rest):
        if path == outer and refusals:
            raise refusals.pop()
        return write_text(path, text, *rest)

    monkeypatch.setattr(Path, "write_text", write)
    of = protection(node, spare=1)
    of.hears("vision", event(TRAINING))
    of.look()
    assert (node.cpus(TRAINING), of.problem()) == ("1,2,3,5,6,7", "")


def test_pods_whose_processors_the_kubelet_assigns_are_left_as_they_are_and_that_is_said(one):
    one.run(TRAINING)
    inner = one.folder(TRAINING) / "ctr" / "cpuset.cpus"
    inner.write_text("0,4\n")
    of = protection(one, spare=1)
    of.hears("vision", event(TRAINING))
    of.look()
    assert (one.cpus(TRAINING), inner.read_text(), one.idle(TRAINING)) == ("", "0,4\n", 1)
    assert of.problem().endswith("no core can be spared: set spare_cores: 0")


@pytest.mark.parametrize(("cores", "left"), [(1, ""), (2, "1,3")])
def test_one_core_is_always_left_to_them(tmp_path, cores, left):
    small = Node(tmp_path, "v2, systemd", cores=cores)
    small.run(TRAINING)
    of = protection(small, spare=64)
    of.hears("vision", event(TRAINING))
    of.look()
    assert (small.cpus(TRAINING), of.problem()) == (left, "")


def test_without_spare_cores_no_set_of_processors_is_touched(one):
    one.run(TRAINING)
    (one.folder(TRAINING) / "cpuset.cpus").write_text("3")  # somebody's
    of = protection(one, spare=0)
    of.hears("vision", event(TRAINING))
    of.look()
    of.put_back()
    assert one.cpus(TRAINING) == "3"


def test_a_node_whose_pods_have_no_set_of_processors_is_named_and_they_are_idle_all_the_same(one):
    one.run(TRAINING)
    (one.folder(TRAINING).parent / "cpuset.cpus.effective").unlink()
    of = protection(one, spare=1)
    of.hears("vision", event(TRAINING))
    of.look()
    assert one.idle(TRAINING) == 1
    assert of.problem().startswith("cannot set cpuset.cpus: [Errno 2] No such file")
    assert "colocation_protected_pods 0" in of.metrics()
