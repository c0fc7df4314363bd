"""Pods and jobs that go wrong, each in its own way, small enough for the sandbox's one real node."""

from __future__ import annotations

from typing import Any

from components.rendering.monitoring.training_metrics import training_pods_monitor
from components.rendering.tfjob import RESTARTED

NAMESPACE = "alerts-drill"
FULL = "alerts-drill-full"
"""A namespace whose quota refuses whatever comes."""
OFFLINE, ONLINE = "alerts-drill-offline", "alerts-drill-online"
PORT = 9100

METRICS = """
import http.server, sys, time
began, mode = time.time(), sys.argv[1]
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        now = time.time()
        shown = {
            "training_last_progress_timestamp_seconds": began if mode == "stuck" else now,
            "training_checkpoint_timestamp_seconds": began if mode == "stuck" else now,
            "training_loss": {"stuck": 1.0, "nan": float("nan"), "rising": 1.05 ** (now - began)}[mode],
        }
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write("".join(f"{name} {value}\\n" for name, value in shown.items()).encode())
http.server.HTTPServer(("", 9100), Page).serve_forever()
"""


def namespaced(kind: str, name: str, namespace: str = NAMESPACE, **rest: Any) -> dict[str, Any]:
    api = {"TFJob": "kubeflow.org/v1", "CronJob": "batch/v1"}.get(kind, "v1")
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": namespace}, **rest}


def container(image: str, *command: str, name: str = "tensorflow", **limits: str) -> dict[str, Any]:
    return {
        "name": name,
        "image": image,
        "command": list(command),
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": limits},
        "ports": [{"name": "metrics", "containerPort": PORT}],
    }


def job(
    name: str,
    spec: dict[str, Any],
    *,
    namespace: str = NAMESPACE,
    restart: str = "Never",
    deadline_seconds: int | None = None,
) -> dict[str, Any]:
    policy = {"activeDeadlineSeconds": deadline_seconds} if deadline_seconds else {}
    pod = {
        "priorityClassName": OFFLINE,
        "terminationGracePeriodSeconds": 1,
        "automountServiceAccountToken": False,
        "containers": [spec],
    }
    role = {"replicas": 1, "restartPolicy": restart, "template": {"spec": pod}}
    # As this project's own jobs of one worker: without it, a pod that is taken away fails its job.
    dynamic = {"enableDynamicWorker": True} if restart in RESTARTED else {}
    return namespaced(
        "TFJob", name, namespace, spec={"runPolicy": policy, **dynamic, "tfReplicaSpecs": {"Worker": role}}
    )


def service(name: str, spec: dict[str, Any], **more: Any) -> dict[str, Any]:
    pod = {"priorityClassName": ONLINE, "terminationGracePeriodSeconds": 1, "containers": [spec], **more}
    return namespaced("Pod", name, spec=pod)


def objects(image: str) -> list[dict[str, Any]]:
    """All that goes wrong, and what it goes wrong in."""

    def python(code: str, *args: str, **limits: str) -> dict[str, Any]:
        return container(image, "python3", "-u", "-c", code, *args, **limits)

    huge = python("pass")
    huge["resources"] = {"requests": {"cpu": "9000"}}
    never = container("colocation.local/nosuch:1", "true")
    scratch = python("open('/scratch/x', 'wb').write(b'0' * 2**23); import time; time.sleep(3600)")
    scratch["volumeMounts"] = [{"name": "scratch", "mountPath": "/scratch"}]
    sleep = "import time; time.sleep(3600)"
    return [
        *({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": n}} for n in (NAMESPACE, FULL)),
        *(
            {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": {"name": name},
                "value": value,
                "preemptionPolicy": "Never",
            }
            for name, value in ((OFFLINE, -10), (ONLINE, -5))
        ),
        job("fails", python("raise SystemExit(1)")),
        job("loops", python("raise SystemExit(1)"), restart="OnFailure"),
        job("greedy", python("x = b'1' * 2**28", memory="48Mi"), restart="OnFailure"),
        job("near", python("x = b'1' * (60 * 2**20); " + sleep, memory="100Mi")),
        job("no-image", never),
        job("no-room", huge),
        job("late", python(sleep), deadline_seconds=10),
        job("stuck", python(METRICS, "stuck"), restart="OnFailure"),
        job("nan", python(METRICS, "nan")),
        job("rising", python(METRICS, "rising")),
        service("no-room", huge),
        service("throttled", python("while True: pass", cpu="20m")),
        service("evicted", scratch, volumes=[{"name": "scratch", "emptyDir": {"sizeLimit": "1Mi"}}]),
        namespaced("ResourceQuota", "full", FULL, spec={"hard": {"configmaps": "1", "pods": "0"}}),
        namespaced("ResourceQuota", "no-jobs", FULL, spec={"hard": {"count/jobs.batch": "0"}}),
        job("refused", python(sleep), namespace=FULL),
        namespaced(
            "CronJob",
            "missed",
            FULL,
            spec={
                "schedule": "* * * * *",
                "jobTemplate": {
                    "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [python("pass")]}}}
                },
            },
        ),
    ]


def pod_monitor() -> dict[str, Any]:
    """As the stack's own, for these jobs; it looks more often."""
    spec = training_pods_monitor([NAMESPACE])
    spec["podMetricsEndpoints"][0]["interval"] = "5s"
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": {"name": "drill", "namespace": NAMESPACE},
        "spec": spec,
    }
