"""Raw fields laid over rendered ones."""

import pytest

from components.rendering.overrides import merged


@pytest.mark.parametrize(
    ("base", "over", "expected"),
    [
        ({"a": 1}, {}, {"a": 1}),
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": {"x": 1, "y": 1}}, {"a": {"y": 2}}, {"a": {"x": 1, "y": 2}}),
        ({"a": {"x": 1}}, {"a": "text"}, {"a": "text"}),
        ({"a": "text"}, {"a": {"x": 1}}, {"a": {"x": 1}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": [{"key": "k"}]}, {"a": [{"key": "l"}]}, {"a": [{"key": "l"}]}),
        ({"a": [{"name": "n"}]}, {"a": []}, {"a": []}),
        ({"a": [{"name": "n"}]}, {"a": [{"name": []}]}, {"a": [{"name": []}]}),
    ],
)
def test_mappings_are_merged_and_all_else_is_replaced(base, over, expected):
    assert merged(base, over) == expected


def test_named_things_are_merged_by_name_and_new_ones_come_last():
    base = {"containers": [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]}
    over = {"containers": [{"name": "new", "image": "n:1"}, {"name": "b", "tty": True}]}
    assert merged(base, over) == {
        "containers": [
            {"name": "a", "image": "a:1"},
            {"name": "b", "image": "b:1", "tty": True},
            {"name": "new", "image": "n:1"},
        ]
    }


def test_a_mounts_name_is_its_volumes_so_mounts_are_told_apart_by_path():
    base = {"volumeMounts": [{"name": "data", "mountPath": "/a"}, {"name": "data", "mountPath": "/b"}]}
    over = {
        "volumeMounts": [
            {"name": "data", "mountPath": "/b", "readOnly": True},
            {"name": "data", "mountPath": "/c"},
        ]
    }
    assert merged(base, over)["volumeMounts"] == [
        {"name": "data", "mountPath": "/a"},
        {"name": "data", "mountPath": "/b", "readOnly": True},
        {"name": "data", "mountPath": "/c"},
    ]


def test_things_of_one_name_cannot_be_told_apart_and_are_replaced():
    base = {"a": [{"name": "n", "x": 1}, {"name": "n", "x": 2}]}
    assert merged(base, {"a": [{"name": "n", "x": 3}]}) == {"a": [{"name": "n", "x": 3}]}


def test_null_takes_a_field_away_at_any_depth():
    base = {"a": 1, "env": [{"name": "HOME", "value": "/tmp"}]}
    over = {"a": None, "env": [{"name": "HOME", "value": None, "valueFrom": {"x": 1}}], "absent": None}
    assert merged(base, over) == {"env": [{"name": "HOME", "valueFrom": {"x": 1}}]}


def test_what_is_merged_is_left_as_it_was():
    base, over = {"a": {"x": [{"name": "n"}]}}, {"a": {"x": [{"name": "n", "y": 1}]}}
    merged(base, over)
    assert base == {"a": {"x": [{"name": "n"}]}}
    assert over == {"a": {"x": [{"name": "n", "y": 1}]}}


@pytest.mark.parametrize(
    ("key", "base", "over"),
    [
        ("env", {"name": "A", "valueFrom": {"fieldRef": {}}}, {"name": "A", "value": "4"}),
        ("env", {"name": "A", "value": "4"}, {"name": "A", "valueFrom": {"fieldRef": {}}}),
        (
            "env",
            {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "x"}}},
            {"name": "A", "valueFrom": {"secretKeyRef": {"key": "k"}}},
        ),
        (
            "volumes",
            {"name": "v", "emptyDir": {}},
            {"name": "v", "persistentVolumeClaim": {"claimName": "c"}},
        ),
    ],
)
def test_another_source_takes_the_place_of_the_first(key, base, over):
    assert merged({key: [base]}, {key: [over]}) == {key: [over]}


def test_the_same_source_is_merged():
    base = {"volumes": [{"name": "v", "emptyDir": {"medium": "Memory"}}]}
    over = {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}]}
    assert merged(base, over)["volumes"][0]["emptyDir"] == {"medium": "Memory", "sizeLimit": "1Gi"}
