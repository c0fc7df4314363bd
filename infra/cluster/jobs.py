"""TFJobs as the API serves them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from infra.cluster.objects import Found, condition, labels_of, moment
from infra.vocabulary import JOB_LABEL, QUEUE_NAME_LABEL, leading_pod

SETTLED = ("Succeeded", "Failed")


@dataclass(frozen=True)
class TFJob(Found):
    """A TFJob, and what the operator says of it."""

    @property
    def title(self) -> str:
        return f"TFJob {self.namespace}/{self.name}"

    @property
    def schedule(self) -> str | None:
        """The scheduled job of a stack that this is a run of."""
        return labels_of(self.raw).get(JOB_LABEL)

    @property
    def queue(self) -> str | None:
        """The queue of its namespace that it has to wait in; None: it waits for nothing."""
        return labels_of(self.raw).get(QUEUE_NAME_LABEL)

    @property
    def queued(self) -> bool:
        """Whether it waits there."""
        return self.suspended and self.queue is not None and not self.settled

    @property
    def replicas(self) -> Mapping[str, int]:
        """Pods that are asked for, by role: `worker`, `ps`."""
        found = (self.raw.get("spec") or {}).get("tfReplicaSpecs") or {}
        return {str(role).lower(): int(spec.get("replicas", 1)) for role, spec in found.items()}

    @property
    def succeeded(self) -> Mapping[str, int]:
        """Pods that have ended well, by role, those among them that are gone."""
        found = (self.raw.get("status") or {}).get("replicaStatuses") or {}
        return {str(role).lower(): int(status.get("succeeded") or 0) for role, status in found.items()}

    @property
    def leader(self) -> str:
        """The pod whose end ends the job."""
        return leading_pod(self.name, has_chief=bool({"chief", "master"} & self.replicas.keys()))

    @property
    def distributed(self) -> bool:
        return sum(self.replicas.values()) > 1

    @property
    def suspended(self) -> bool:
        return bool(((self.raw.get("spec") or {}).get("runPolicy") or {}).get("suspend"))

    @property
    def clean_pod_policy(self) -> str:
        """Unset: the operator's own default."""
        return str(((self.raw.get("spec") or {}).get("runPolicy") or {}).get("cleanPodPolicy") or "None")

    @property
    def state(self) -> str:
        """The newest condition that holds; empty before the operator has looked at it."""
        found = (self.raw.get("status") or {}).get("conditions") or ()
        true = [str(c["type"]) for c in found if c.get("status") == "True"]
        return true[-1] if true else ""

    @property
    def settled(self) -> bool:
        """Whether it has ended, well or not."""
        return self.state in SETTLED

    @property
    def restarted(self) -> bool:
        """Whether the operator has replaced a pod that had failed."""
        return bool(condition(self.raw, "Restarting"))

    @property
    def since(self) -> datetime | None:
        """When it came into its state."""
        return moment(condition(self.raw, self.state).get("lastTransitionTime"))

    @property
    def message(self) -> str:
        """What the operator says of its state."""
        return str(condition(self.raw, self.state).get("message") or "")
