"""Names and amounts at the edges of what the models take."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Data = dict[str, Any]

NAMES = st.sampled_from(["a", "b-1", "data", "x9", "ranking-v3", "a" * 40])
OBJECT_NAMES = st.sampled_from(["a", "team.data", "0.b-c", "s3", "d" * 63, f"{'e' * 63}.{'f' * 63}"])
LABEL_KEYS = st.sampled_from(["disk", "team", "example.com/Zone_1", f"{'p' * 50}.io/{'k' * 63}", "A.b_c-d"])
LABEL_VALUES = st.sampled_from(["", "ssd", "A_b.c-1", "9", "v" * 63])
VARIABLES = st.sampled_from(["EPOCHS", "_x", "Data_Dir", "HOME", "NVIDIA_VISIBLE_DEVICES", "V" * 200])
VALUES = st.sampled_from(["", "3", "$(HOME)/x", "ünï: {}", "two\nlines", "v" * 300])
IMAGES = st.sampled_from(
    [
        "registry.example/mnist:1.4",
        "mnist:1",
        "localhost:5000/a/b-c/d:V_1.2",
        f"registry.example/mnist@sha256:{'0a' * 32}",
        f"registry.example/mnist:1.4@sha256:{'0a' * 32}",
        f"[::1]:5000/{'n' * 200}:{'t' * 128}",
    ]
)
PATHS = st.sampled_from(["/data", "/data/b", "/models", "/etc/team", "/dev/shm", "/x y", f"/{'p' * 300}"])
ARGUMENTS = st.lists(st.sampled_from(["python3", "-c", "--steps=3", "", "$(HOME)", "ü"]), max_size=3)
CPUS = st.sampled_from([0, 0.1, 0.25, "250m", "5e-1", "1", 2, "1.5"])
MEMORIES = st.sampled_from([0, "1Mi", "256Mi", "1G", "1.5Gi", "1288490188800m", 1073741824, "2e9"])
SMALL_COUNTS = st.integers(0, 3)


def mostly(strategy: st.SearchStrategy[Any], otherwise: Any = None) -> st.SearchStrategy[Any]:
    """Rather this than something else: what fills stacks, but seldom makes them wrong."""
    other = otherwise if isinstance(otherwise, st.SearchStrategy) else st.just(otherwise)
    return st.integers(0, 9).flatmap(lambda tenth: other if tenth == 7 else strategy)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Data]:
    """A mapping with any of these."""
    return st.fixed_dictionaries({}, optional=fields)


def distinct(items: st.SearchStrategy[Data], key: str = "name", **size: int) -> st.SearchStrategy[list[Data]]:
    """A list whose items have names of their own."""
    return st.lists(items, unique_by=lambda item: item[key], **size)


def stated(data: Data) -> Data:
    """Without what is None."""
    return {key: value for key, value in data.items() if value is not None}


def amounts() -> st.SearchStrategy[Data]:
    return some(cpu=CPUS, memory=MEMORIES, ephemeral_storage=MEMORIES)


def resources() -> st.SearchStrategy[Data]:
    """Limits that every quota is content with, and requests that are none of its business."""
    limits = st.fixed_dictionaries(
        {"cpu": st.sampled_from([2, "2500m", "4"]), "memory": st.sampled_from(["2Gi", "3G", "4Gi"])},
        optional={"ephemeral_storage": st.just("8Gi")},
    )
    whole = st.fixed_dictionaries({"limits": limits}, optional={"requests": amounts()})
    return mostly(whole, some(requests=amounts(), limits=amounts()))
