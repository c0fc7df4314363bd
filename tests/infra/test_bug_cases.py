"""Bug cases that belong to no single check: what a stack file that holds one is told, by its code."""

from __future__ import annotations

import ast

import pytest
import yaml

from infra.load import StackFileError
from infra.places import ROOT
from infra.plan import plan

AROUND = """
priorities:
  - {name: online-high, value: 100000, kind: online, global_default: true}
  - {name: offline-low, value: 1000, kind: offline}
tenants: [{name: offline}]
"""
JOB = """
  - name: mnist
    tenant: offline
    priority: offline-low
    image: registry.example/mnist:1.4
"""
# Said of most jobs; the cases are about other things.
OF_PREEMPTION = ("no-checkpoint-path", "preemption-fails-the-job")
FOUR = "worker: {replicas: 4, restart_policy: OnFailure}"


@pytest.fixture
def told(stack_file):
    """What is found in a stack file: severity, code and sentence by place."""

    def look(text):
        file = stack_file(text)
        try:
            findings = plan(file).findings
        except StackFileError as error:
            findings = error.findings
        return {
            found.path: (found.severity, found.code, found.sentence)
            for found in findings
            if found.severity != "advice" and found.code not in OF_PREEMPTION
        }

    return look


def job(*lines):
    """A stack of one job that also says this."""
    return AROUND + "jobs:" + JOB + "".join(f"    {line}\n" for line in lines)


def test_a3_a_clean_up_outside_the_run_policy_is_sent_there(told):
    [(place, (severity, code, sentence))] = told(job(FOUR, "cleanPodPolicy: All")).items()
    assert (place, severity, code) == ("jobs[0].cleanPodPolicy", "fault", "unknown-key")
    assert "run_policy.clean_pod_policy" in sentence


@pytest.mark.parametrize("policy", ["running", "Any"])
def test_a3_a_clean_up_that_the_operator_would_misread_is_refused(told, policy):
    [(place, (_, code, sentence))] = told(job(FOUR, f"run_policy: {{clean_pod_policy: {policy}}}")).items()
    assert (place, code) == ("jobs[0].run_policy.clean_pod_policy", "bad-value")
    assert "write one of Running, All, None" in sentence


def test_a5_a_restart_policy_is_one_of_four(told):
    [(place, (_, code, sentence))] = told(job("worker: {restart_policy: onFailure}")).items()
    assert (place, code) == ("jobs[0].worker.restart_policy", "bad-value")
    assert "did you mean OnFailure?" in sentence


def test_a11_an_unknown_role_and_a_misspelt_success_policy_are_both_told(told):
    found = told(job("success_policy: allWorkers", "workers: {replicas: 3}"))
    assert {place: code for place, (_, code, _) in found.items()} == {
        "jobs[0].success_policy": "bad-value",
        "jobs[0].workers": "unknown-key",
    }


@pytest.mark.parametrize(
    ("roles", "place"),
    [
        ("ps: {replicas: 2}", "jobs[0]"),
        ("worker: {replicas: 0}", "jobs[0].worker.replicas"),
        ("chief: {replicas: 2}", "jobs[0].chief.replicas"),
        ("master: {replicas: 1}", "jobs[0].master"),
    ],
)
def test_a11_roles_of_which_no_job_would_end_as_it_says_are_refused(told, roles, place):
    assert [severity for at, (severity, _, _) in told(job(roles)).items() if at == place] == ["fault"]


def test_a15_the_domain_of_the_cluster_is_the_operators_and_of_no_job(told):
    domain = "cluster_domain: corp.internal"
    assert told(f"{job(FOUR)}training_operator: {{{domain}}}") == {}
    assert told(job(FOUR, domain))["jobs[0].cluster_domain"][1] == "unknown-key"


@pytest.mark.parametrize("amount", ["0.5", '"0.5"', "500m", '"5e-1"', "5e-1"])
def test_b6_every_spelling_of_half_a_core_is_accepted(told, amount):
    assert told(job(f"worker: {{resources: {{requests: {{cpu: {amount}}}}}}}")) == {}


@pytest.mark.parametrize("amount", ["1.5Gi", "1288490188800m", "1073741824"])
def test_b6_what_is_an_amount_of_memory_is_accepted(told, amount):
    assert told(job(f"worker: {{resources: {{requests: {{memory: {amount}}}}}}}")) == {}


@pytest.mark.parametrize("amount", ["512m", '"1 Gi"', "1GB", "-1", "."])
def test_b6_what_is_none_is_refused(told, amount):
    found = told(job(f"worker: {{resources: {{requests: {{memory: {amount}}}}}}}"))
    assert found["jobs[0].worker.resources.requests.memory"][:2] == ("fault", "bad-value")


def test_b6_a_request_above_its_limit_is_refused_across_suffixes(told):
    amounts = "{requests: {cpu: 0.5, memory: 2Gi}, limits: {cpu: 1, memory: 2G}}"
    found = told(job(f"worker: {{resources: {amounts}}}"))
    assert found["jobs[0].worker.resources.requests.memory"][:2] == ("fault", "broken-rule")


def test_c1_nobody_turns_server_side_apply_off(told):
    found = told(job(FOUR) + "provider: {server_side_apply: false}\n")
    assert found["provider"][:2] == ("fault", "unknown-key")


def test_c4_an_operator_of_one_namespace_is_not_installed(told):
    """Where one is attached to, `colo check --live` compares what it watches with the jobs."""
    found = told(job(FOUR) + "training_operator: {namespace: ml-system, watch_namespace: offline}\n")
    assert found["training_operator.watch_namespace"][:2] == ("fault", "unknown-key")


def test_c6_a_namespace_of_the_system_is_nobodys_tenant(told):
    found = told("tenants: [{name: kube-system}]")
    assert found["tenants[0].name"][:2] == ("fault", "tenant-takes-system-namespace")


def test_d1_a_taint_of_kubernetes_itself_is_not_put_on_nodes(told):
    taint = "{key: node.kubernetes.io/unschedulable, effect: NoSchedule}"
    found = told(f"pools: [{{name: gpu, nodes: [gpu-1], taints: [{taint}]}}]")
    assert found["pools[0].taints[0]"][:2] == ("fault", "taint-of-kubernetes")


def test_e6_a_stack_is_checked_without_a_cluster(told, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    assert told(job(FOUR)) == {}


def test_e6_the_program_never_forgets_what_it_cannot_reach():
    """Only a person who knows that a cluster is gone may say so, for one run."""
    names = set()
    for folder in ("infra", "components"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                names |= {str(n) for n in (getattr(node, "arg", None), getattr(node, "attr", None)) if n}
    assert "enable_server_side_apply" in names
    assert not {name for name in names if "unreachable" in name.lower()}


def test_e7_a_pod_that_no_node_can_hold_is_told_before_the_update(told):
    pool = "pools: [{name: cpu, nodes: [n1], capacity: {cpu: 64, memory: 256Gi}}]\n"
    found = told(pool + job("pool: cpu", 'worker: {resources: {requests: {cpu: "9999"}}}'))
    assert found["jobs[0].worker.resources"][:2] == ("fault", "pod-fits-no-node")


def test_the_stack_around_the_cases_is_sound(told):
    assert told(job(FOUR)) == {}
    assert set(yaml.safe_load(job(FOUR))) == {"priorities", "tenants", "jobs"}
