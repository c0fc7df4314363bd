"""Names are refused with the rule that they break."""

import pytest
from pydantic import TypeAdapter, ValidationError

from infra.models import names


def read(kind, value):
    return TypeAdapter(kind).validate_python(value)


@pytest.mark.parametrize("good", ["a", "a-1", "1a", "a" * 63])
def test_a_label_is_lower_case_letters_digits_and_hyphens(good):
    assert read(names.DnsLabel, good) == good


@pytest.mark.parametrize("bad", ["", "A", "a.b", "a_b", "-a", "a-", "a\n", "ä", "a" * 64])
def test_other_labels_are_refused(bad):
    with pytest.raises(ValidationError, match=r"not a valid name here; use lower-case|at most 63"):
        read(names.DnsLabel, bad)


@pytest.mark.parametrize("bad", ["2024-mnist", "a.b", "Mnist"])
def test_a_job_name_starts_with_a_letter_since_services_bear_it(bad):
    with pytest.raises(ValidationError, match="start with a lower-case letter"):
        read(names.JobName, bad)


def test_a_node_name_may_hold_dots():
    assert read(names.ObjectName, "node-1.example.org") == "node-1.example.org"
    with pytest.raises(ValidationError, match="not a valid name"):
        read(names.ObjectName, "node..1")


@pytest.mark.parametrize("good", ["node-type", "kwok.x-k8s.io/node", "A_b.c"])
def test_a_label_key_may_have_a_dns_prefix(good):
    assert read(names.LabelKey, good) == good


@pytest.mark.parametrize("bad", ["", "/a", "a/", "a/b/c", "Pre.fix/a", "-a", "a" * 64, "a b"])
def test_other_label_keys_are_refused(bad):
    with pytest.raises(ValidationError, match=r"not a valid name|at most"):
        read(names.LabelKey, bad)


def test_a_label_value_may_be_empty():
    assert read(names.LabelValue, "") == ""


@pytest.mark.parametrize(
    "good",
    [
        "mnist:1.4",
        "reg.example:5000/a/b:1",
        "a@sha256:" + "0" * 64,
        "a:latest@sha256:" + "0" * 64,
        "reg:5000/a:1@sha256:" + "f" * 64,
        "[fd00::1]:5000/a:1",
        "Registry.Example/a_b/c__d/e-f.g:V_1.x",
        "a:" + "t" * 128,
    ],
)
def test_an_image_says_its_version(good):
    assert read(names.Image, good) == good


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ("mnist@sha256:abc", "malformed digest"),
        ("mn ist:1", "not an image"),
        ("", "not an image"),
        ("reg.example/Mnist:1", "not an image"),
        ("reg.example:port/mnist:1", "not an image"),
        ("reg.example//mnist:1", "not an image"),
        ("/mnist:1", "not an image"),
        ("mnist-:1", "not an image"),
        ("mn..ist:1", "not an image"),
        ("-reg.example/mnist:1", "not an image"),
        ("https://reg.example/mnist:1", "not an image"),
        ("mnist:1:2", "malformed tag"),
        ("mnist:.1", "malformed tag"),
        ("mnist:ä", "malformed tag"),
        ("mnist:" + "t" * 129, "malformed tag"),
        ("mnist:", "malformed tag"),
        ("mnist@", "malformed digest"),
        ("mnist:1@sha256:" + "F" * 64, "malformed digest"),
        ("a" * 256 + ":1", "at most 255"),
    ],
)
def test_what_is_no_image_reference_is_refused(bad, complaint):
    with pytest.raises(ValidationError, match=complaint):
        read(names.Image, bad)


@pytest.mark.parametrize("bad", ["data", "/", "//", "/a/../b", "/a:b", ""])
def test_a_mount_path_is_absolute_and_plain(bad):
    with pytest.raises(ValidationError, match="write an absolute one"):
        read(names.AbsolutePath, bad)


def test_a_trailing_slash_is_no_other_path():
    assert read(names.AbsolutePath, "/data/") == "/data"


@pytest.mark.parametrize("good", ["nfs.example", "10.0.0.1", "fd00::1", "NFS"])
def test_a_host_is_a_name_or_an_address(good):
    assert read(names.Host, good) == good


@pytest.mark.parametrize(
    "bad",
    [
        "nfs.example/path",
        "a b",
        "",
        "nfs:/x",
        "::::",
        "1:2",
        "fd00::1%eth0/x",
        "nfs.",
        "a..b",
        "-nfs",
        "nfs:2049",
    ],
)
def test_other_hosts_are_refused(bad):
    with pytest.raises(ValidationError, match="is not a host"):
        read(names.Host, bad)
