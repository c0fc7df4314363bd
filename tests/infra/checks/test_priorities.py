"""Priority classes, as case B9 has them."""

BATCH = [
    {"name": "system-batch", "value": 100, "kind": "offline"},
    {"name": "online", "value": 1000, "kind": "online", "global_default": True},
    {"name": "batch", "value": 2000, "kind": "offline", "global_default": True},
]


def test_b9_every_fault_of_the_classes_is_found_in_one_run(data, found):
    data["priorities"] = BATCH
    data["jobs"] = []
    assert found(data) == [
        ("priority-name-reserved", ("priorities", 0, "name")),
        ("second-global-default", ("priorities", 2, "global_default")),
        ("offline-global-default", ("priorities", 2, "global_default")),
        ("offline-not-below-online", ("priorities", 2, "value")),
    ]


def test_b9_values_above_a_billion_belong_to_kubernetes(data, found):
    data["priorities"][0]["value"] = 10**9 + 1
    assert found(data) == [("priority-too-high", ("priorities", 0, "value"))]


def test_b9_a_job_names_a_declared_class(data, found, cpu_job):
    data["jobs"] = [cpu_job(priority="batch")]
    assert found(data) == [("unknown-priority", ("jobs", 0, "priority"))]


def test_b9_the_class_of_a_gang_is_declared(data, found, cpu_job):
    policy = {"scheduling_policy": {"priority_class": "batch"}}
    data["training_operator"] = {"install": False, "namespace": "vision"}
    data["jobs"] = [cpu_job(run_policy=policy)]
    place = ("jobs", 0, "run_policy", "scheduling_policy", "priority_class")
    assert ("unknown-priority", place) in found(data)
    policy["scheduling_policy"]["priority_class"] = "offline-low"
    assert ("unknown-priority", place) not in found(data)
