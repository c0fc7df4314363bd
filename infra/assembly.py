"""Declares a stack's components in order, and wires what each gives to the next."""

import os
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pulumi

from components.base import Component
from components.job_args import TrainingJobArgs
from components.job_owner import JobOwner, JobOwnerArgs
from components.node_pool import NodePool, NodePoolArgs
from components.node_protection import NodeProtection, NodeProtectionArgs
from components.priority_classes import PriorityClasses, PriorityClassesArgs
from components.queueing import Queueing, QueueingArgs
from components.rendering.monitoring.training_metrics import scraped_port
from components.scheduled_training_job import ScheduledTrainingJob
from components.shared_storage import SharedStorage, SharedStorageArgs
from components.tenant import Tenant, TenantArgs
from components.tenant_queue import TenantQueue, TenantQueueArgs
from components.training_job import TrainingJob
from components.training_operator import TrainingOperator, TrainingOperatorArgs
from infra.checks.sending import workloads
from infra.models import JobSpec, TenantSpec
from infra.observing import Secrets, observe
from infra.plan import Plan
from infra.providers import cluster
from infra.queue_quotas import queue_quotas
from infra.vocabulary import JOB_LABEL, STARTER_LABEL, leading_pod


def assemble(ready: Plan, stack_name: str, secrets: Secrets) -> dict[str, Any]:
    """Declare everything; returns what a person reads after an update."""
    for found in ready.findings:
        say = pulumi.log.warn if found.severity == "warning" else pulumi.log.info
        say(str(found))
    return Assembly(ready, stack_name, secrets, cluster("cluster")).outputs()


class Assembly:
    """The components of one stack."""

    def __init__(
        self, ready: Plan, stack_name: str, secrets: Secrets, provider: pulumi.ProviderResource
    ) -> None:
        self._ready, self._stack = ready, ready.stack
        self._stack_name, self._provider = stack_name, provider
        self._priorities = PriorityClasses(
            "priorities",
            PriorityClassesArgs(priorities=self._stack.priorities),
            self._after(),
        )
        self._pools = {
            pool.name: NodePool(
                pool.name, NodePoolArgs(spec=pool, stack_name=self._stack_name), self._after()
            )
            for pool in self._stack.pools
        }
        self._tenants = {tenant.name: self._tenant(tenant) for tenant in self._stack.tenants}
        self._operator = self._training_operator()
        self._queues = dict(self._tenant_queues())
        self._storage = {
            storage.name: SharedStorage(
                storage.name,
                SharedStorageArgs(spec=storage, namespace=self._tenants[storage.tenant].namespace),
                self._after(self._tenants[storage.tenant]),
            )
            for storage in self._stack.storage
        }
        self._owners = {
            name: JobOwner(
                f"{name}-jobs",
                JobOwnerArgs(namespace=self._tenants[name].namespace),
                self._after(self._tenants[name], self._operator),
            )
            for name in dict.fromkeys(job.tenant for job in self._stack.jobs)
        }
        self._jobs = {job.name: self._job(job) for job in self._stack.jobs}
        self._protect_nodes()
        self._watching = observe(ready, stack_name, secrets, partial(self._after, self._priorities))

    def outputs(self) -> dict[str, Any]:
        """What is where, and the commands that follow each job and each schedule."""
        operator = self._stack.training_operator
        return {
            "namespaces": [tenant.namespace for tenant in self._tenants.values()],
            "pools": {name: pool.nodes for name, pool in self._pools.items()},
            **({"training_operator": {"namespace": operator.namespace}} if operator.install else {}),
            "jobs": {job.name: follow(job) for job in self._stack.jobs if job.schedule is None},
            "schedules": {job.name: follow_runs(job) for job in self._stack.jobs if job.schedule},
            **self._watching,
            **({"kubeconfig": found} if (found := os.environ.get("KUBECONFIG")) else {}),
        }

    def _after(self, *components: Component) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(providers=[self._provider], depends_on=list(components))

    @property
    def _monitoring_namespace(self) -> str | None:
        return self._stack.monitoring.namespace if self._stack.monitoring is not None else None

    def _tenant(self, tenant: TenantSpec) -> Tenant:
        theirs = [job.annotations for job in self._stack.jobs if job.tenant == tenant.name]
        args = TenantArgs(
            spec=tenant,
            monitoring_namespace=self._monitoring_namespace,
            scraped_ports=sorted({port for marks in theirs if (port := scraped_port(marks)) is not None}),
            queued=self._stack.queued(tenant.name),
        )
        return Tenant(tenant.name, args, self._after())

    def _training_operator(self) -> TrainingOperator:
        """In a tenant's namespace where there is one of that name; else it makes its own."""
        spec = self._stack.training_operator
        tenant = self._tenants.get(spec.namespace)
        crd_provider = cluster("cluster-crds", upsert_existing_objects=True) if spec.install else None
        return TrainingOperator(
            "training-operator",
            TrainingOperatorArgs(
                spec=spec,
                stack_name=self._stack_name,
                namespace=tenant.namespace if tenant else None,
                monitoring_namespace=self._monitoring_namespace,
                crd_provider=crd_provider,
            ),
            self._after(*([tenant] if tenant else [])),
        )

    def _protect_nodes(self) -> None:
        spec = self._stack.node_protection
        if spec is None:
            return
        args = NodeProtectionArgs(
            spec=spec,
            offline_classes=self._stack.classes("offline"),
            tenants={name: tenant.namespace for name, tenant in self._tenants.items()},
            pools=self._stack.pools,
            jobs=self._stack.jobs,
            monitoring_namespace=self._monitoring_namespace,
        )
        NodeProtection("node-protection", args, self._after())

    def _tenant_queues(self) -> Iterator[tuple[str, TenantQueue]]:
        """One for each tenant with a quota, where the stack has queues."""
        spec = self._stack.queueing
        if spec is None:
            return
        # Kueue looks for the definition of TFJobs when it starts.
        args = QueueingArgs(spec=spec, stack_name=self._stack_name)
        queueing = Queueing("queueing", args, self._after(self._operator))
        jobs = tuple(workloads(self._stack))
        for tenant in self._stack.tenants:
            if self._stack.queued(tenant.name):
                namespace = self._tenants[tenant.name]
                queue = TenantQueueArgs(
                    tenant=tenant.name,
                    namespace=namespace.namespace,
                    flavor=queueing.flavor,
                    quotas=queue_quotas(self._stack, tenant, jobs),
                )
                yield (
                    tenant.name,
                    TenantQueue(f"{tenant.name}-queue", queue, self._after(queueing, namespace)),
                )

    def _job(self, job: JobSpec) -> Component:
        pool = self._pools.get(job.pool) if job.pool else None
        storage = {claim: self._storage[claim] for _, claim in job.claims()}
        queue = self._queues.get(job.tenant)
        waits_for: list[Component] = [
            self._operator,  # its webhook answers before a job comes, and outlives every job
            self._tenants[job.tenant],  # quota and defaults, not only the namespace
            self._priorities,
            *([pool] if pool else []),
            *([queue] if queue else []),
            *storage.values(),
        ]
        args = TrainingJobArgs(
            spec=job,
            namespace=self._tenants[job.tenant].namespace,
            owner=self._owners[job.tenant].reference,
            priority_class=job.priority,
            pool=next((p for p in self._stack.pools if p.name == job.pool), None),
            files=self._ready.files(job),
            claims={name: claim.claim_name for name, claim in storage.items()},
            queue_name=queue.queue_name if queue else None,
        )
        trains = TrainingJob if job.schedule is None else ScheduledTrainingJob
        return trains(job.name, args, self._after(*waits_for))


def follow(job: JobSpec) -> Mapping[str, str]:
    """The commands that show how a job goes."""
    leader = leading_pod(job.name, has_chief=job.chief is not None)
    return {
        "state": f"kubectl get tfjob -n {job.tenant} {job.name}",
        "logs": f"kubectl logs -n {job.tenant} -f {leader}",
    }


def follow_runs(job: JobSpec) -> Mapping[str, str]:
    """The commands that show the runs of a scheduled job, and that start one at once."""
    ours = f"-n {job.tenant} -l {JOB_LABEL}={job.name}"
    now = f"{job.name}-$(date +%H%M%S)"
    leader = leading_pod("<run>", has_chief=job.chief is not None)
    return {
        "state": f"kubectl get cronjobs,tfjobs {ours}",
        "runs": f"kubectl logs {ours},{STARTER_LABEL}=true --tail=-1",
        "logs": f"kubectl logs -n {job.tenant} -f {leader}",
        "start": f"kubectl create job -n {job.tenant} --from=cronjob/{job.name} {now}",
    }
