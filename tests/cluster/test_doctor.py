"""`colo doctor` reads a cluster that is broken for real, row by row of the article's tables.

The jobs are the tests' own, in namespaces that go away with them; they all lie ill together, so that what
takes time takes it once.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from sandbox.network import NAMESPACE
from tests.cluster.conftest import eventually, until_the_operator_answers
from tests.cluster.ward import PYTHON, SLEEP, SMALL, Ward, job, seen

pytestmark = pytest.mark.cluster

REAL = {"kubernetes.io/hostname": "node-cpu-01"}


def sized(**resources):
    return {"worker": {"resources": SMALL | resources}}


ILL = {
    # --- no node takes the pod
    "tainted": job("tainted", SLEEP, node_selector={"kubernetes.io/hostname": "node-cpu-02"}),
    "huge": job("huge", SLEEP, **sized(requests={"cpu": "10m", "memory": "2Ti"}, limits={"memory": "2Ti"})),
    "lost": job("lost", SLEEP, node_selector={"example.com/rack": "42"}),
    "unbound": job("unbound", SLEEP, volumes=[{"existing_claim": "waits", "mount_path": "/data"}]),
    "claimless": job("claimless", SLEEP, volumes=[{"existing_claim": "nowhere", "mount_path": "/data"}]),
    # --- the container does not start
    "away": job("away", SLEEP, image="registry.invalid/ml/train:1"),
    "unset": job("unset", SLEEP, env_from=[{"secret": "nowhere"}]),
    "unmounted": job("unmounted", SLEEP, volumes=[{"config_map": "nowhere", "mount_path": "/etc/train"}]),
    "no-command": job("no-command", ["/opt/train/run.sh"]),
    "no-script": job("no-script", ["python3", "/opt/train/main.py"]),
    # --- it ends ill
    "raises": job("raises", [*PYTHON, "data = {}\nprint(data['label'])"]),
    "exits": job("exits", [*PYTHON, "print('no more disk'); raise SystemExit(3)"]),
    "hungry": job(
        "hungry",
        [*PYTHON, "x = bytearray(512 * 2**20); print(sum(x[:: 4096]))"],
        **sized(limits={"memory": "64Mi"}),
    ),
    "alone": job("alone", [*PYTHON, "import socket; socket.gethostbyname('alone-ps-0.nowhere.svc')"]),
    "late": job(
        "late",
        [*PYTHON, "import time; time.sleep(5); raise SystemExit(1)"],
        run_policy={"active_deadline_seconds": 3},
    ),
    # --- it does not end, or begins again
    "silent": job("silent", SLEEP),
    "again": job(
        "again", [*PYTHON, "print('done')"], worker={"restart_policy": "Always", "resources": SMALL}
    ),
}


def with_a_gpu(manifest):
    """As a stack without GPU nodes would refuse it."""
    template = manifest["spec"]["tfReplicaSpecs"]["Worker"]["template"]
    template["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = "1"


def leading(name, chief, others):
    """A job whose chief does one thing, and the others another."""
    return job(
        name,
        SLEEP,
        chief={"command": [*PYTHON, chief], "resources": SMALL},
        worker={"command": [*PYTHON, others], "resources": SMALL},
        ps={"resources": SMALL},
    )


@pytest.fixture(scope="module")
def ward(sandbox, tmp_path_factory):
    """The jobs, all at once."""
    found = Ward(sandbox, tmp_path_factory.mktemp("ward"))
    yield found
    found.close()


@pytest.fixture(scope="module", autouse=True)
def kubeconfig(sandbox):
    """The doctor looks at the cluster of KUBECONFIG."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBECONFIG", sandbox.workspace.environment()["KUBECONFIG"])
        yield


REGISTRY = """
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(401 if "/private/" in self.path else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()
    do_HEAD = do_GET
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""
"""Has nothing, and does not say so to everybody."""


@pytest.fixture(scope="module")
def registry():
    """Where the node pulls from; containerd speaks plain HTTP to its own machine."""
    command = ["nsenter", f"--net=/run/netns/{NAMESPACE}", sys.executable, "-c", REGISTRY]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield f"127.0.0.1:{child.stdout.readline().strip()}"
    child.terminate()
    child.wait()


@pytest.fixture(scope="module")
def ill(ward, registry):
    namespace = ward.admit("ill")
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "waits", "namespace": namespace},
        "spec": {
            "storageClassName": "ward-none",
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    ward.create(claim)
    for data in ILL.values():
        ward.submit(namespace, data)
    ward.submit(namespace, job("no-gpu", SLEEP, node_selector=REAL), with_a_gpu)
    ward.submit(namespace, job("unpushed", SLEEP, image=f"{registry}/ml/train:1"))
    private = {"image": f"{registry}/private/train:1", "image_pull_secrets": ["nowhere"]}
    ward.submit(namespace, job("private", SLEEP, **private))
    return namespace


@pytest.mark.parametrize(
    ("name", "code", "step", "word"),
    [
        ("no-gpu", "gpus-not-allocatable", "events", "Insufficient nvidia.com/gpu"),
        ("tainted", "taint-not-tolerated", "events", "untolerated taint"),
        ("huge", "larger-than-any-node", "events", "Insufficient memory"),
        ("lost", "no-node-matches", "events", "didn't match Pod's node affinity/selector"),
        ("unbound", "claim-unbound", "events", "unbound immediate PersistentVolumeClaims"),
        ("claimless", "claim-absent", "events", '"nowhere" not found'),
        ("away", "registry-unreachable", "events", "registry.invalid"),
        ("unpushed", "image-not-found", "events", "not found"),
        ("private", "registry-refuses", "events", "401"),
        ("unset", "config-absent", "events", "nowhere"),
        ("unmounted", "volume-not-mounted", "events", "nowhere"),
        ("no-command", "command-not-found", "current", "exit code"),
        ("no-script", "command-not-found", "logs", "can't open file"),
        ("raises", "script-error", "logs", "KeyError: 'label'"),
        ("exits", "exited", "logs", "no more disk"),
        ("hungry", "oom-killed", "current", "OOMKilled"),
        ("alone", "peer-not-resolved", "logs", "ame"),
        ("late", "deadline-exceeded", "current", "deadline"),
        ("again", "came-back", "current", "exit code 0"),
    ],
)
def test_a_job_that_is_ill_is_told_with_what_shows_it(ward, ill, name, code, step, word):
    found = ward.until(name, code, shows=(step, word))
    assert found.object == f"TFJob {ill}/{name}"
    assert found.fix


def test_the_cause_of_a_script_error_names_the_line(ward, ill):
    assert "KeyError: 'label' (<string>, line 2)" in ward.until("raises", "script-error").cause


def test_a_missing_pull_secret_is_named_beside_the_refusal(ward, ill):
    assert "a Secret of image_pull_secrets is not there" in ward.until("private", "registry-refuses").cause


def test_a_training_that_says_nothing_is_told(ward, ill):
    ward.until("silent", "no-progress", shows=("logs", "begins"), stalled_seconds=5)
    # The ten minutes that are meant else may be over by now.
    assert not [one for one in ward.look(stalled_seconds=7200) if one.code == "no-progress"]


def test_a_job_that_is_not_declared_is_looked_at_too(ward, ill):
    ward.submit(ill, job("foreign", ["/nowhere"]), change=lambda manifest: None)
    assert "not of this stack" in seen(ward.until("foreign", "command-not-found"), "target")


@pytest.fixture(scope="module")
def held(ward):
    """A namespace whose quota is nearly nothing."""
    namespace = ward.admit("held")
    ward.sandbox.kubectl("create", "quota", "quota", "-n", namespace, "--hard=requests.cpu=15m")
    # Until its controller has counted, it refuses every pod, with other words.
    eventually(lambda: ward.sandbox.get("quota", "quota", "-n", namespace)["status"].get("used"))
    return namespace


def test_a_quota_that_refuses_is_told_with_its_figures(ward, held):
    ward.submit(held, job("refused", SLEEP, worker={"replicas": 2, "resources": SMALL}))
    found = ward.until("refused", "quota-exceeded")
    assert "asked for requests.cpu=10m, used requests.cpu=10m of requests.cpu=15m" in found.cause
    assert "exceeded quota" in seen(found, "events")


def test_a_quota_that_demands_what_a_job_does_not_state_is_told(ward, held):
    def unstated(manifest):
        del manifest["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["resources"]

    ward.submit(held, job("unstated", SLEEP), unstated)
    assert "states requests.cpu" in ward.until("unstated", "quota-needs-amounts").cause


@pytest.fixture
def intercept(sandbox):
    """Makes a webhook that asks a Service that is not there about one kind in one namespace."""
    made = []

    def create(namespace, group, resource):
        webhook = {
            "name": "guard.example.com",
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "clientConfig": {"service": {"namespace": namespace, "name": "nobody"}},
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "rules": [
                {
                    "apiGroups": [group],
                    "apiVersions": ["v1"],
                    "operations": ["CREATE"],
                    "resources": [resource],
                }
            ],
        }
        configuration = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": f"{namespace}-{resource}"},
            "webhooks": [webhook],
        }
        sandbox.kubectl("create", "-f", "-", stdin=json.dumps(configuration))
        made.append(configuration["metadata"]["name"])

    yield create
    for name in made:
        sandbox.kubectl("delete", "validatingwebhookconfiguration", name)


def test_a_webhook_that_stops_the_pods_of_a_job_is_told(ward, intercept):
    namespace = ward.admit("guarded")
    intercept(namespace, "", "pods")
    ward.submit(namespace, job("guarded", SLEEP))
    found = ward.until("guarded", "webhook-intercepts")
    assert "guard.example.com" in found.cause


def test_a_job_that_a_webhook_refuses_is_told_to_be_missing_by_it(ward, intercept):
    namespace = ward.admit("shut")
    intercept(namespace, "kubeflow.org", "tfjobs")
    assert "guard.example.com" in ward.submit(namespace, job("shut-out", SLEEP), check=False)
    found = ward.until("shut-out", "webhook-without-endpoint")
    assert found.severity == "fault"


def test_what_is_declared_and_not_there_is_told_once(ward):
    namespace = ward.admit("empty")
    ward.declare(job("unsent", SLEEP) | {"tenant": namespace})
    found = ward.until("unsent", "not-in-cluster")
    assert (found.object, found.fix) == (
        f"TFJob {namespace}/unsent",
        "pulumi up --refresh --stack ward",
    )
    ward.declare(job("homeless", SLEEP) | {"tenant": "ward-nowhere"}, tenant="ward-nowhere")
    assert ward.until("homeless", "not-in-cluster").object == "Namespace ward-nowhere"


# --- peers


@pytest.fixture(scope="module")
def together(ward):
    """A job of two workers that run, and do nothing."""
    namespace = ward.admit("peers")
    ward.submit(namespace, job("pair", SLEEP, worker={"replicas": 2, "resources": SMALL}))
    eventually(lambda: running(ward, namespace, "pair") == 2)
    return namespace


def running(ward, namespace, name):
    pods = ward.sandbox.items("pods", "-n", namespace, "-l", f"training.kubeflow.org/job-name={name}")
    return sum(pod["status"]["phase"] == "Running" for pod in pods)


def test_peers_that_find_each_other_are_no_finding(ward, together):
    # The API server may hear of the kubelet's pods, addresses and all, in several steps.
    eventually(lambda: not [one for one in ward.look() if "pair" in one.affects])


def test_policies_that_keep_peers_apart_are_told(ward, together):
    policy = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "deny", "namespace": together},
        "spec": {"podSelector": {}, "policyTypes": ["Ingress"]},
    }
    ward.create(policy)
    found = ward.until("pair", "network-policy-blocks")
    assert "denied by deny" in seen(found, "current")
    ward.sandbox.kubectl("delete", "networkpolicy", "deny", "-n", together)


def test_a_service_that_leads_to_another_port_is_told(ward, together):
    patch = [{"op": "replace", "path": "/spec/ports/0/port", "value": 3333}]
    ward.sandbox.kubectl(
        "patch", "service", "pair-worker-1", "-n", together, "--type=json", f"-p={json.dumps(patch)}"
    )
    found = ward.until("pair", "peer-port-wrong")
    assert "peers call pair-worker-1 at port 2222" in found.cause
    ward.sandbox.kubectl("delete", "service", "pair-worker-1", "-n", together)  # as the fix says


def test_a_tf_config_of_somebody_else_is_told(ward, together):
    def with_its_own(manifest):
        template = manifest["spec"]["tfReplicaSpecs"]["Worker"]["template"]
        template["spec"]["containers"][0]["env"].append({"name": "TF_CONFIG", "value": "{}"})

    ward.submit(together, job("doubled", SLEEP, worker={"replicas": 2, "resources": SMALL}), with_its_own)
    assert "it is set 2 times" in ward.until("doubled", "tf-config-wrong").cause


# --- what does not end, or comes back


def test_a_parameter_server_that_outlives_its_job_is_told(ward, together):
    ward.submit(
        together,
        leading("outlived", "print('done')", "import time; time.sleep(3600)")
        | {"run_policy": {"clean_pod_policy": "None"}},
    )
    found = ward.until("outlived", "pods-after-the-end")
    assert "outlived-ps-0" in found.fix
    assert "1 worker" in seen(found, "current")


def test_a_sidecar_that_keeps_a_pod_alive_is_told(ward, together):
    def with_a_proxy(manifest):
        spec = manifest["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]
        proxy = dict(spec["containers"][0]) | {"name": "istio-proxy", "command": SLEEP}
        spec["containers"].append(proxy)

    ward.submit(together, job("meshed", [*PYTHON, "print('done')"]), with_a_proxy)
    found = ward.until("meshed", "sidecar-keeps-pod")
    assert "istio-proxy" in found.cause
    assert "istio-injection-" in found.fix


def test_a_worker_that_comes_back_after_it_had_finished_is_told(ward, together):
    second_ends = "import os, time; os.environ['HOSTNAME'].endswith('-1') or time.sleep(3600)"
    pair = job("returns", [*PYTHON, second_ends], worker={"replicas": 2, "resources": SMALL})
    ward.submit(together, pair)
    finished = ("get", "pod", "returns-worker-1", "-n", together, "-o", "jsonpath={.status.phase}")
    eventually(lambda: ward.sandbox.kubectl(*finished, check=False) == "Succeeded")
    ward.sandbox.kubectl("delete", "pod", "returns-worker-1", "-n", together)
    found = ward.until("returns", "came-back")
    assert "returns-worker-1 had finished" in found.cause


# --- the operator, and what is the cluster's


@pytest.fixture
def operator(sandbox):
    """Puts the operator back as it was, and waits until it answers."""
    kinds = ("clusterrole", "clusterrolebinding")
    saved = [sandbox.get(kind, "training-operator") for kind in kinds]
    yield ("deployment", "training-operator", "-n", "kubeflow")
    for item in saved:
        for key in ("resourceVersion", "uid", "managedFields", "creationTimestamp"):
            item["metadata"].pop(key, None)
        manager = "--field-manager=colocation-dev"
        sandbox.kubectl(
            "apply", "--server-side", "--force-conflicts", manager, "-f", "-", stdin=json.dumps(item)
        )
    sandbox.kubectl("scale", "deployment", "training-operator", "-n", "kubeflow", "--replicas=1")
    sandbox.kubectl(
        "rollout", "status", "deployment", "training-operator", "-n", "kubeflow", "--timeout=300s"
    )
    until_the_operator_answers(sandbox)


def until_it_may_make_no_pods(sandbox, namespace):
    """The API server takes up changed rights a moment later; a pod that is made meanwhile stays."""
    account = "--as=system:serviceaccount:kubeflow:training-operator"
    asked = ("auth", "can-i", "create", "pods", "-n", namespace, account)
    eventually(lambda: not sandbox.kubectl(*asked, check=False).strip().endswith("yes"))


def test_an_operator_that_may_not_make_pods_is_told(ward, operator):
    namespace = ward.admit("rights")
    rules = ward.sandbox.get("clusterrole", "training-operator")["rules"]
    for rule in rules:
        rule["resources"] = [resource for resource in rule["resources"] if resource != "pods"]
    rules.append({"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]})
    kept = [rule for rule in rules if rule["resources"]]
    ward.sandbox.kubectl(
        "patch", "clusterrole", "training-operator", "--type=merge", "-p", json.dumps({"rules": kept})
    )
    until_it_may_make_no_pods(ward.sandbox, namespace)
    ward.submit(namespace, job("unmade", SLEEP))
    found = ward.until("unmade", "operator-without-rights")
    assert "may not create resource pods" in found.cause
    assert "forbidden" in seen(found, "events")


def test_an_operator_without_any_rights_is_told_by_its_log(ward, operator):
    namespace = ward.admit("nothing")
    ward.sandbox.kubectl("delete", "clusterrolebinding", "training-operator")
    until_it_may_make_no_pods(ward.sandbox, namespace)
    ward.submit(namespace, job("unseen", SLEEP))
    found = ward.until("unseen", "operator-without-rights")
    assert "forbidden" in seen(found, "logs")


def test_an_operator_that_is_down_is_told_and_what_waits_for_it(ward, operator):
    namespace = ward.admit("down")
    ward.sandbox.kubectl("scale", *operator, "--replicas=0")
    ward.sandbox.kubectl(
        "wait", "--for=delete", "pod", "-n", "kubeflow", "-l", "control-plane", "--timeout=180s", check=False
    )
    assert "webhook" in ward.submit(namespace, job("waiting", SLEEP), check=False)
    found = ward.until("waiting", "operator-down")
    assert "it is scaled to 0" in found.cause
    assert [one.code for one in ward.look() if one.code == "webhook-without-endpoint"] == []


def test_a_service_that_is_gone_is_told(ward, together, operator):
    ward.sandbox.kubectl("scale", *operator, "--replicas=0")  # it would make it anew
    ward.sandbox.kubectl(
        "wait", "--for=delete", "pod", "-n", "kubeflow", "-l", "control-plane", "--timeout=180s", check=False
    )
    ward.sandbox.kubectl("delete", "service", "pair-worker-0", "-n", together)
    assert "pair-worker-0" in ward.until("pair", "peer-service-absent").cause


def test_a_dns_without_pods_is_told(ward, together):
    dns = ("deployment", "coredns", "-n", "kube-system")
    ward.sandbox.kubectl("scale", *dns, "--replicas=0")
    try:
        ward.until("pair", "dns-down")
    finally:
        ward.sandbox.kubectl("scale", *dns, "--replicas=1")
        ward.sandbox.kubectl("rollout", "status", *dns, "--timeout=300s")


def test_a_second_operator_is_told(ward):
    namespace = ward.admit("second")
    pod = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "m", "image": "x/y:1"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": pod}
    metadata = {"name": "tf-job-operator", "namespace": namespace}
    ward.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec})
    [found] = [one for one in ward.look() if one.code == "two-operators"]
    assert f"{namespace}/tf-job-operator" in found.cause
    ward.sandbox.kubectl("delete", "deployment", "tf-job-operator", "-n", namespace)
