"""The program of node protection, on a tree of control groups that is made of files."""

import contextlib
import json
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler

import pytest

from components import protect_node
from components.protect_node import Groups, Server, Watch, handler
from tests.components.protect_node.control_groups import SERVICE, TRAINING, Node, event, protection


def test_offline_pods_are_made_idle_and_no_other_group_is_touched(node):
    node.run(TRAINING)
    node.run(SERVICE)
    of = protection(node)
    of.hears("vision", event(TRAINING))
    of.hears("vision", event(SERVICE, priority="online-high"))
    of.look()
    assert node.idle(TRAINING) == 1
    idle = [path for path in node.root.rglob("cpu.idle") if path.read_text().strip() == "1"]
    assert idle == [node.folder(TRAINING) / "cpu.idle"]
    assert of.problem() == ""


def test_at_the_end_each_has_the_weight_again_that_the_kubelet_gave_it(node):
    node.run(TRAINING, weight=307)
    of = protection(node)
    of.hears("vision", event(TRAINING))
    of.look()
    (node.folder(TRAINING) / node.weight_file).write_text("100")  # the kernel forgets the weight
    of.put_back()
    assert (node.idle(TRAINING), node.weight(TRAINING)) == (0, 307)


def test_the_weight_of_a_pod_that_a_killed_run_made_idle_is_that_of_its_containers(node):
    node.run(TRAINING, weight=307)
    first = protection(node)
    first.hears("vision", event(TRAINING))
    first.look()
    (node.folder(TRAINING) / node.weight_file).write_text("3")
    second = protection(node)
    second.hears("vision", event(TRAINING))
    second.look()
    second.put_back()
    assert (node.idle(TRAINING), node.weight(TRAINING)) == (0, 307)


def test_a_pod_without_requests_gets_the_least_weight_back(node):
    node.run(TRAINING, weight=node.least)
    (node.folder(TRAINING) / "cpu.idle").write_text("1")
    of = protection(node)
    of.hears("vision", event(TRAINING))
    of.put_back()
    assert (node.idle(TRAINING), node.weight(TRAINING)) == (0, node.least)


def test_what_others_made_idle_is_left_to_them(node):
    node.run(SERVICE)
    (node.folder(SERVICE) / "cpu.idle").write_text("1")
    of = protection(node)
    of.hears("vision", event(SERVICE, priority="online-high"))
    of.look()
    of.put_back()
    assert (node.idle(SERVICE), node.weight(SERVICE)) == (1, 102)


def test_what_somebody_sets_back_is_set_again(one):
    one.run(TRAINING)
    of = protection(one)
    of.hears("vision", event(TRAINING))
    of.look()
    (one.folder(TRAINING) / "cpu.idle").write_text("0")
    of.look()
    assert one.idle(TRAINING) == 1


def test_a_pod_is_found_whose_group_comes_after_it_was_heard_of(one):
    of = protection(one)
    of.hears("vision", event(TRAINING, phase="Pending"))
    of.look()
    one.run(TRAINING)
    of.look()
    assert one.idle(TRAINING) == 1


def test_pods_that_vanish_at_any_moment_are_no_trouble(node, monkeypatch):
    node.run(TRAINING)
    node.run(SERVICE)
    of = protection(node, spare=1)
    of.hears("vision", event(TRAINING))
    of.look()
    found = {TRAINING: node.folder(TRAINING)}
    monkeypatch.setattr(Groups, "known", lambda self, uids: found)  # read the moment before
    folders = dict.fromkeys([node.cpuset(node.folder(TRAINING)), node.folder(TRAINING)])
    for folder in folders:
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        folder.rmdir()
        of.look()
        assert of.problem() == ""
    of.put_back()


@pytest.mark.parametrize("end", [{"kind": "DELETED"}, {"phase": "Succeeded"}, {"phase": "Failed"}])
def test_pods_that_are_over_are_forgotten(one, end):
    one.run(TRAINING)
    of = protection(one)
    of.hears("vision", event(TRAINING))
    of.hears("vision", event(TRAINING, **end))
    of.look()
    assert one.idle(TRAINING) == 0


def test_a_watch_that_starts_again_forgets_what_it_knew(one):
    one.run(TRAINING)
    of = protection(one)
    of.hears("vision", event(TRAINING))
    of.begins("vision")
    of.look()
    assert one.idle(TRAINING) == 0


def test_a_kernel_without_it_is_named(tmp_path):
    old = Node(tmp_path, "v1, cgroupfs", has_idle=False)
    old.run(SERVICE)
    of = protection(old)
    of.look()
    assert "no cpu.idle: it takes Linux 5.15 or newer" in of.problem()


def test_what_may_not_be_written_is_named(one, monkeypatch):
    one.run(TRAINING)

    def refused(self, uid, folder):
        raise PermissionError(13, "Permission denied", str(folder / "cpu.idle"))

    monkeypatch.setattr(Groups, "yields", refused)
    of = protection(one)
    of.hears("vision", event(TRAINING))
    of.look()
    assert of.problem().startswith("cannot set cpu.idle: [Errno 13] Permission denied")


def test_control_groups_that_are_not_there_are_named(tmp_path):
    of = protection(Node(tmp_path, "v1, cgroupfs"))
    of.look()
    assert of.problem() == f"no pod has a control group below {tmp_path / 'cpu'}"


def test_it_is_not_ready_before_its_first_look(one):
    assert protection(one).problem() == "has not looked at the node yet"


def test_a_short_silence_of_the_api_server_is_no_trouble_and_a_long_one_is_told(one, monkeypatch):
    of = protection(one)
    of.look()
    of.is_deaf("vision", "refused")
    assert of.problem() == ""
    monkeypatch.setattr(protect_node, "BLIND_SECONDS", -1.0)
    assert of.problem() == "cannot watch pods in vision: refused"
    of.begins("vision")
    assert of.problem() == ""


@pytest.fixture
def serving():
    """Starts HTTP servers, and stops them after the test."""
    started = []

    def start(kind):
        server = Server(("", 0), kind)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


@pytest.fixture
def following(monkeypatch):
    """Lets a watch follow in a thread, which ends after the test."""
    monkeypatch.setattr(protect_node, "_RETRY_SECONDS", 0.01)
    threads = []

    def start(watch, of):
        def follow():
            with contextlib.suppress(SystemExit):
                watch.follow(of)

        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        threads.append((watch, thread))

    def ends(of):
        raise SystemExit

    yield start
    for watch, thread in threads:
        watch._events = ends
        thread.join(10)
        assert not thread.is_alive()


def looks_until_idle(of, one):
    for _ in range(100):
        of.look()
        if one.idle(TRAINING):
            break
        threading.Event().wait(0.05)


def test_it_watches_the_pods_of_its_node_in_one_namespace_and_hears_of_them(
    one, serving, following, tmp_path
):
    asked = []

    class Api(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append((self.path, self.headers["Authorization"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(event(TRAINING)).encode() + b"\n")

        def log_message(self, *_):
            pass

    account = tmp_path / "account"
    account.mkdir()
    (account / "token").write_text("secret")
    one.run(TRAINING)
    of = protection(one)
    watch = Watch(serving(Api), "vision", "n1", account)
    following(watch, of)
    looks_until_idle(of, one)
    assert one.idle(TRAINING) == 1
    path, authorization = asked[0]
    assert path.startswith("/api/v1/namespaces/vision/pods?watch=true&fieldSelector=spec.nodeName%3Dn1&")
    assert authorization == "Bearer secret"


@pytest.mark.parametrize(
    "answer", [b"[]", b"5", b"{", b"\xff", b"[" * 100_000, b'{"object": {"metadata": []}}']
)
def test_a_watch_outlives_whatever_it_is_answered(one, serving, following, tmp_path, answer):
    answers = [answer]

    class Api(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write((answers.pop() if answers else json.dumps(event(TRAINING)).encode()) + b"\n")

        def log_message(self, *_):
            pass

    (tmp_path / "token").write_text("secret")
    one.run(TRAINING)
    of = protection(one)
    watch = Watch(serving(Api), "vision", "n1", tmp_path)
    following(watch, of)
    looks_until_idle(of, one)
    assert one.idle(TRAINING) == 1


def test_the_probe_fails_with_the_reason_and_metrics_count(one, serving):
    of = protection(one)
    url = serving(handler(of))
    with pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(f"{url}/healthz")
    assert (refusal.value.code, refusal.value.read()) == (503, b"has not looked at the node yet\n")
    one.run(TRAINING)
    of.hears("vision", event(TRAINING))
    of.look()
    assert urllib.request.urlopen(f"{url}/healthz").read() == b"ok\n"
    text = urllib.request.urlopen(f"{url}/metrics").read().decode()
    assert "\ncolocation_protected_pods 1\n" in text
    assert "\ncolocation_offline_pods 1\n" in text


def test_a_pod_is_heard_at_whichever_address_its_cluster_gives_it(one, serving, loopbacks):
    port = serving(handler(protection(one))).rpartition(":")[2]
    for address in loopbacks:
        assert (
            b"colocation_protected_pods" in urllib.request.urlopen(f"http://{address}:{port}/metrics").read()
        )
