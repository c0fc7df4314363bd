"""Every bug case that users have met is a test, known by its code.

A test that is called after a code, `test_a13_...`, is of that case. Cases that a test of another name
decides are listed here, and those that wait for a part which this program does not have yet.
"""

from __future__ import annotations

import ast

import pytest

from infra.places import ROOT

CASES = {
    "A1": "container not called tensorflow",
    "A2": "old API version, or no CRD yet",
    "A3": "parameter servers that stay; clean-up in the wrong place",
    "A5": "restart policy inside the pod template",
    "A8": "a ttl that trains again",
    "A9": "Istio's sidecar keeps pods running",
    "A11": "when a job has succeeded",
    "A13": "names that are too long, or no names",
    "A14": "one replica has no TF_CONFIG",
    "A15": "peers on clusters of another domain",
    "B1": "a quota, and jobs without requests",
    "B2": "two jobs that start in part; one that is too large",
    "B3": "GPUs as request only, unequal, or in fractions",
    "B6": "quantities",
    "B7": "a LimitRange default below a request",
    "B9": "rules of PriorityClasses",
    "C1": "a CRD too large for client-side apply",
    "C2": "a first job whose webhook does not answer",
    "C4": "an operator in another namespace, or for one only",
    "C6": "an operator or CRD that is there already",
    "D1": "taints are one list with several owners",
    "D4": "a taint without a toleration",
    "E1": "kinds of monitoring that are unknown at preview",
    "E2": "hooks of a chart that never run",
    "E3": "a password that changes at every preview",
    "E6": "a cluster out of reach",
    "E7": "an update that is green while a job has no pods",
    "F1": "monitors that are not picked up",
    "F3": "scrape annotations that nobody reads",
    "F4": "rules that are not loaded",
    "F6": "routes that see their own namespace only",
    "F7": "receivers that replace the chart's",
    "F9": "a DingTalk robot as a plain webhook",
    "F11": "container series that are dropped",
    "G1": "the exporter's own pod instead of the workload's",
    "G2": "an exporter on nodes without GPUs",
    "G4": "SYS_ADMIN against Pod Security",
    "G5": "a dashboard whose data source is a variable",
    "G6": "a dashboard with labels of old Kubernetes",
}
ISSUE_5 = {"E1", "F6", "F7", "F9"}
"""They come with the parts of monitoring that this program does not have yet."""
UNDER_OTHER_NAMES = {
    "A2": (
        "infra/live/test_operators.py::test_a_missing_crd_is_a_fault_only_where_the_stack_does_not_bring_it",
        "infra/live/test_operators.py::test_a_crd_that_does_not_serve_v1_is_a_fault",
    ),
    "A3": ("components/test_tfjob.py::test_the_clean_up_is_always_said",),
    "A9": (
        "components/test_pods.py::test_no_sidecar_of_istio_enters_any_pod",
        "components/test_pods.py::test_a_job_cannot_let_istios_sidecar_in",
        "infra/live/test_others.py::test_a_namespace_with_sidecars_is_a_warning",
    ),
    "A15": ("components/test_operator_kustomization.py::test_another_cluster_domain_reaches_the_operator",),
    "B9": (
        "components/test_priority_classes.py::test_an_offline_class_never_preempts_and_an_online_one_may",
        "components/test_pods.py::test_pods_of_every_role_have_the_priority",
        "infra/checks/test_checks.py::test_offline_work_ranks_below_every_online_class",
    ),
    "C1": (
        "components/test_operator_kustomization.py::test_the_crd_fits_a_client_side_apply_too",
        "infra/test_assembly.py::test_everything_goes_to_the_one_cluster",
    ),
    "C2": (
        "infra/test_assembly.py::test_a_job_waits_for_everything_that_it_refers_to",
        "components/test_operator_kustomization.py"
        "::test_the_operator_starts_after_all_that_it_would_crash_without",
        "components/test_operator_kustomization.py::test_no_sidecar_breaks_the_webhooks_tls",
        "infra/live/test_others.py::test_a_webhook_without_endpoint_is_a_fault",
        "cluster/test_lifecycle.py::test_no_job_is_there_without_its_operator_while_a_stack_is_destroyed",
    ),
    "C4": (
        "components/test_operator_kustomization.py::test_nothing_stays_in_upstreams_namespace",
        "components/test_operator_kustomization.py::test_the_webhook_calls_the_operators_own_service",
        "infra/live/test_operators.py::test_an_operator_that_watches_another_namespace_is_a_fault",
    ),
    "C6": (
        "infra/live/test_operators.py::test_an_operator_of_others_where_the_stack_installs_one_is_a_fault",
        "infra/live/test_operators.py::test_two_operators_to_attach_to_are_a_fault",
        "infra/live/test_others.py::test_a_tenants_namespace_of_others_is_a_fault",
        "infra/test_assembly.py::test_objects_that_exist_are_taken_over_only_when_the_environment_says_so",
    ),
    "D1": (
        "components/test_node_plan.py::test_a_taint_is_added_beside_those_of_others",
        "components/test_node_marks_faults.py"
        "::test_a_taint_of_others_with_another_value_is_refused_before_any_write",
        "cluster/test_node_marks.py::test_marks_come_and_go_while_a_cordon_and_a_foreign_taint_stay",
    ),
    "E6": (
        "infra/live/test_reader.py::test_without_a_cluster_there_is_one_finding",
        "cluster/test_check_live.py::test_a_server_that_is_away_is_one_finding_within_seconds",
    ),
}
DECIDED_ON_A_CLUSTER = {
    "A8": "cluster/test_bug_cases.py::test_a8_a_job_that_its_ttl_removed_would_train_again",
    "A5": "cluster/test_bug_cases.py::test_a5_a_pod_that_always_restarts_never_succeeds",
    "A14": "cluster/test_bug_cases.py::test_a14_a_second_tf_config_is_taken_and_the_first_is_lost",
    "E7": "cluster/test_bug_cases.py::test_e7_a_job_without_pods_is_deployed_in_any_case",
}
"""Where only the real API server or kubelet knows what is right."""


def functions() -> dict[str, ast.FunctionDef]:
    """Every test of the project that is not switched off, by file and name."""
    found = {}
    for file in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                marks = " ".join(ast.unparse(decorator) for decorator in node.decorator_list)
                if "skip" not in marks and "xfail" not in marks:
                    found[f"{file.relative_to(ROOT / 'tests')}::{node.name}"] = node
    return found


FUNCTIONS = functions()


def of(code: str) -> list[str]:
    """The tests of a case."""
    named = [name for name in FUNCTIONS if f"::test_{code.lower()}_" in name]
    return [*named, *UNDER_OTHER_NAMES.get(code, ())]


@pytest.mark.parametrize("code", sorted(CASES.keys() - ISSUE_5))
def test_a_case_has_a_test_that_needs_no_cluster(code):
    assert [name for name in of(code) if not name.startswith("cluster/")] != []


@pytest.mark.parametrize("code", sorted(ISSUE_5))
def test_a_case_of_a_part_that_is_not_there_has_none(code):
    assert of(code) == []


def test_tests_that_are_listed_exist_and_run():
    listed = {name for names in UNDER_OTHER_NAMES.values() for name in names}
    assert listed | set(DECIDED_ON_A_CLUSTER.values()) <= FUNCTIONS.keys()


def test_a_test_is_called_after_a_case_that_there_is():
    called = {
        name.partition("::test_")[2].partition("_")[0].upper()
        for name in FUNCTIONS
        if name.partition("::test_")[2][:1] in "abcdefg" and name.partition("::test_")[2][1:2].isdigit()
    }
    assert called <= CASES.keys()


def test_every_case_is_listed_once():
    assert len(CASES) == 39
    assert UNDER_OTHER_NAMES.keys() | DECIDED_ON_A_CLUSTER.keys() | ISSUE_5 <= CASES.keys()
