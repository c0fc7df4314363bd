"""A Prometheus of the benchmark's own, with a few pods and for a moment."""

import pytest

from benchmarks import scrape_load
from sandbox import tools
from sandbox.errors import SandboxError


@pytest.fixture
def prometheus():
    try:
        program = tools.folder(tools.programs.group_of("prometheus")) / "prometheus"
    except SandboxError as error:
        pytest.skip(str(error))
    if not program.exists():
        pytest.skip("Prometheus is not here; run `colo sandbox build`")
    return program


def test_every_simulated_pod_is_scraped_on_its_own(prometheus, monkeypatch):
    for name, value in {"INTERVAL": "1s", "MEASURED_SECONDS": 1}.items():
        monkeypatch.setattr(scrape_load, name, value)
    with scrape_load._training() as port:
        none, some = (scrape_load.measured(prometheus, port, pods) for pods in (0, 3))
    assert (none.series, none.samples_per_second) == (0, 0)
    assert some.series % 3 == 0
    assert some.samples_per_second % 3 == 0
    assert some.samples_per_second > 3
    assert some.memory_mebibytes > 10
