"""Jobs that no state knows go with their owner."""

from components.job_owner import JobOwner, JobOwnerArgs

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"


def test_the_owner_is_an_object_of_the_namespace_whose_deletion_waits_for_the_jobs(declare):
    kept = []

    def program():
        kept.append(JobOwner("vision-jobs", JobOwnerArgs(namespace="vision")).reference)

    owner = declare(program).only(CONFIG_MAP)
    assert owner.inputs["metadata"] == {"name": "colocation-jobs", "namespace": "vision"}
    [reference] = kept
    assert (reference.kind, reference.block_owner_deletion) == ("ConfigMap", True)
