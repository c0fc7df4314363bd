"""`colo report` of the sandbox's own Prometheus, against what the API server says; its page in a browser."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from playwright.sync_api import sync_playwright

from infra.models.quantities import amount
from infra.places import ROOT
from infra.report.page import page as page_of
from sandbox import images, system
from sandbox.progress import Progress
from tests.cluster.conftest import eventually, make_namespace
from tests.cluster.report_examples import full, poor

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("busy")]

NAMESPACE = "report-test"
BROWSER_MILLISECONDS = 180_000
BUSY = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "busy", "namespace": NAMESPACE},
    "spec": {
        "priorityClassName": "offline-low",
        "terminationGracePeriodSeconds": 0,
        "containers": [
            {
                "name": "c",
                "image": images.reference("tensorflow"),
                "command": ["python3", "-c", "while True: pass"],
                "resources": {
                    "requests": {"cpu": "150m", "memory": "32Mi"},
                    "limits": {"cpu": "200m", "memory": "64Mi"},
                },
            }
        ],
    },
}


@pytest.fixture(scope="module")
def busy(sandbox, deployed_once):
    """An offline pod that wants more CPU than its limit, on the real node."""
    make_namespace(sandbox, NAMESPACE)
    sandbox.kubectl("create", "-f", "-", stdin=json.dumps(BUSY))
    yield sandbox
    sandbox.kubectl("delete", "namespace", NAMESPACE, "--wait=false")


@pytest.fixture(scope="module")
def colo(sandbox):
    def run(*options):
        done = subprocess.run(
            [sys.executable, "-m", "infra.cli", "report", "--stack", "dev", "--window", "1m", *options],
            cwd=ROOT,
            env=sandbox.workspace.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


# --- the page


@pytest.fixture(scope="module")
def browser():
    system.ensure(Progress(), system.BROWSER)
    with sync_playwright() as playwright:
        # Debian's browser as root; it shall ask nobody for anything.
        flags = ("no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-sync")
        flags += ("disable-background-networking", "disable-component-update")
        started = playwright.chromium.launch(
            executable_path="/usr/bin/chromium",
            args=[f"--{flag}" for flag in flags],
            timeout=BROWSER_MILLISECONDS,
        )
        yield started
        started.close()


@pytest.fixture(scope="module", params=["sandbox", "full", "poor"])
def file(request, tmp_path_factory):
    """A page, and how many charts it must have."""
    file = tmp_path_factory.mktemp("page") / "report.html"
    if request.param == "sandbox":
        request.getfixturevalue("colo")("--html", str(file))
        return file, file.read_text("utf-8").count("<svg ")
    file.write_text(page_of(full() if request.param == "full" else poor()), "utf-8")
    return file, 10 if request.param == "full" else 2


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_browser_shows_the_page_whole_and_quietly(browser, file, width, scheme, tmp_path):
    path, charts = file
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(BROWSER_MILLISECONDS)
    said, asked = [], []
    context.on("request", lambda request: asked.append(request.url))
    shown = context.new_page()
    shown.on("console", lambda message: said.append(message.text))
    shown.on("pageerror", lambda error: said.append(str(error)))
    shown.goto(path.as_uri())
    shown.screenshot(path=str(tmp_path / "page.png"), full_page=True)
    assert said == []
    assert asked == [path.as_uri()]
    assert charts >= 2
    found = shown.locator("figure svg").all()
    assert len(found) == charts
    for one in found:
        assert one.is_visible()
        box = one.bounding_box()
        assert box["width"] >= 250
        assert box["height"] >= 140
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert contrast(shown) > 7
    context.close()


def contrast(shown):
    """Of text in a chart against the page, as WCAG counts it."""
    ink = shown.evaluate("getComputedStyle(document.querySelector('figure svg text')).fill")
    paper = shown.evaluate("getComputedStyle(document.body).backgroundColor")
    bright, dark = sorted((luminance(ink), luminance(paper)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(rgb):
    parts = [int(part) / 255 for part in rgb.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# --- figures, last: by now the busy pod has something to show


def told(colo):
    return json.loads(colo("--format", "json"))


def use(found, resource, basis):
    return next((u for u in found["utilisation"] if (u["resource"], u["basis"]) == (resource, basis)), None)


def requested(sandbox, resource):
    """By the API server: what pods on nodes ask for that have not ended."""
    pods = [pod for pod in sandbox.items("pods", "-A") if pod["spec"].get("nodeName")]
    containers = [
        container
        for pod in pods
        if pod["status"]["phase"] in ("Pending", "Running")
        for container in pod["spec"]["containers"]
    ]
    asked = [c.get("resources", {}).get("requests", {}).get(resource) for c in containers]
    return sum(float(amount(text)) for text in asked if text)


def test_the_offline_pod_is_seen_to_ask_to_use_and_to_be_held_back(busy, colo):
    def seen():
        found = told(colo)
        held = found["harm"][1]["throttled_percent"] or 0
        offline = [d for d in found["demand"] if (d["resource"], d["of"]) == ("cpu", "offline")]
        return any(d["requested"] >= 0.14 and d["used"] > 0.05 for d in offline) and held > 10

    assert eventually(seen, timeout_seconds=300)


def test_requests_and_nodes_are_those_of_the_api_server(busy, colo):
    nodes = busy.items("nodes")

    def agrees():
        found = use(told(colo), "cpu", "requested")
        return (found["nodes"], found["total"]) == (
            len(nodes),
            pytest.approx(requested(busy, "cpu"), rel=0.01),
        )

    eventually(agrees, timeout_seconds=300)  # a minute without changes
    found = use(told(colo), "cpu", "requested")
    assert found["allocatable"] == sum(float(amount(n["status"]["allocatable"]["cpu"])) for n in nodes)


def test_simulated_nodes_and_gpus_whose_use_nobody_measures_are_told(busy, colo):
    found = told(colo)
    assert use(found, "cpu", "used")["nodes"] == 1  # the real one
    assert use(found, "gpu", "requested")["allocatable"] == 16
    missing = {one["what"]: one["fix"] for one in found["missing"]}
    assert "monitoring.gpu_metrics.install: true" in missing["gpu used"]
