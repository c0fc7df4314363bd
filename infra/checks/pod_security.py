"""Pods that are refused when they are made: by the Pod Security level of their namespace, or by any.

A TFJob with such pods is accepted and then stays without pods. Source of the rules:
https://kubernetes.io/docs/concepts/security/pod-security-standards/
"""

from collections.abc import Iterator, Mapping
from typing import Any

from infra.checks.findings import Finding, Subject
from infra.checks.parts import CONTAINER_FIELDS, mapping, mappings, rendered_pods
from infra.checks.pod_validity import PROBES, Refusal, refusals
from infra.models import JobSpec, RoleName
from infra.models.base import Loc
from infra.models.jobs import SecuritySpec

_OURS = {"runAsNonRoot": "run_as_non_root", "runAsUser": "run_as_user"}
_DEFAULT_CAPABILITIES = {
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
}
_SAFE_VOLUMES = {
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
}
_SAFE_SYSCTLS = {
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_syncookies",
}
_SAFE_SELINUX_TYPES = {
    "",
    "container_t",
    "container_init_t",
    "container_kvm_t",
    "container_engine_t",
}
_APPARMOR_PREFIX = "container.apparmor.security.beta.kubernetes.io/"


def check(subject: Subject) -> Iterator[Finding]:
    """The pods of every job that says something of its own about them."""
    levels = {tenant.name: tenant.pod_security for tenant in subject.stack.tenants}
    for i, job in enumerate(subject.stack.jobs):
        of_roles = [role for role, spec in job.roles() if spec.pod_overrides]
        usual = job.security == SecuritySpec() and not any(
            k.startswith(_APPARMOR_PREFIX) for k in job.annotations
        )
        if not job.pod_overrides and not of_roles and usual:
            continue
        pods = dict(rendered_pods(job))
        level = levels.get(job.tenant, "privileged")
        # Roles differ here in their own overrides only: one of those without stands for all of them.
        plain = [role for role in pods if role not in of_roles][:1]
        seen: set[Finding] = set()
        for role in (*plain, *of_roles):
            found = set(_of_a_pod(("jobs", i), job, role, pods[role], level))
            yield from sorted(found - seen, key=str)
            seen |= found


def _of_a_pod(at: Loc, job: JobSpec, role: RoleName, pod: Mapping[str, Any], level: str) -> Iterator[Finding]:
    if level != "privileged":
        for path, what, remedy in _violations(pod, restricted=level == "restricted"):
            yield Finding(
                code="pod-security-refuses",
                place=_written(at, job, role, path),
                message=f"{what}, which the level {level} of tenant {job.tenant} refuses",
                remedy=f"{remedy}, or give the tenant another level",
            )
        for key, profile in job.annotations.items():
            allowed = profile == "runtime/default" or profile.startswith("localhost/")
            if key.startswith(_APPARMOR_PREFIX) and not allowed:
                yield Finding(
                    code="pod-security-refuses",
                    place=(*at, "annotations", key),
                    message=f"it runs without an AppArmor profile, which the level {level} of tenant "
                    f"{job.tenant} refuses",
                    remedy="remove it, or give the tenant another level",
                )
    for path, what, remedy in _contradictions(pod):
        yield Finding(
            code="pod-contradicts-itself",
            place=_written(at, job, role, path),
            message=what,
            remedy=remedy,
        )
    yield from _refused(at, job, role, pod)


def _refused(at: Loc, job: JobSpec, role: RoleName, pod: Mapping[str, Any]) -> Iterator[Finding]:
    for path, what, remedy in refusals(pod):
        place = _written(at, job, role, path)
        if "pod_overrides" in place:  # what models and other checks say is not said again
            yield Finding(code="pod-refused", place=place, message=what, remedy=remedy)


def _contradictions(pod: Mapping[str, Any]) -> Iterator[Refusal]:
    """What no level allows: the API server refuses such a pod, or the node never starts it."""
    if pod.get("hostPID") and pod.get("shareProcessNamespace"):
        what = "pods of jobs share one process namespace, and cannot share the node's too"
        yield ("hostPID",), what, "add shareProcessNamespace: null beside it"
    whole = mapping(pod.get("securityContext"))
    if whole.get("runAsUser") == 0 and whole.get("runAsNonRoot"):
        what = "user 0 is root, and runAsNonRoot keeps such a container from starting"
        yield ("securityContext", "runAsUser"), what, "choose another user, or let it run as root"
    for field in CONTAINER_FIELDS:
        for _, container in mappings((), pod.get(field)):
            context = mapping(container.get("securityContext"))
            if context.get("privileged") and context.get("allowPrivilegeEscalation") is False:
                path = (field, str(container.get("name")), "securityContext", "privileged")
                what = "a privileged container may not have allowPrivilegeEscalation: false"
                yield path, what, "write allowPrivilegeEscalation: true beside it"


def _violations(pod: Mapping[str, Any], *, restricted: bool) -> Iterator[Refusal]:
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get(field):
            yield (field,), f"{field} is true", "remove it"
    for _, volume in mappings((), pod.get("volumes")):
        path = ("volumes", str(volume.get("name")))
        kinds = volume.keys() - {"name"}
        if "hostPath" in kinds or (restricted and kinds - _SAFE_VOLUMES):
            yield path, f"it mounts a {next(iter(kinds - _SAFE_VOLUMES))}", "use a claim or an empty_dir"
    whole = mapping(pod.get("securityContext"))
    yield from _context(("securityContext",), whole, restricted=restricted)
    containers = [
        ((field, str(container.get("name"))), container)
        for field in CONTAINER_FIELDS
        for _, container in mappings((), pod.get(field))
    ]
    for path, container in containers:
        yield from _container(path, container, restricted=restricted)
    if restricted:
        contexts = [mapping(container.get("securityContext")) for _, container in containers]
        if not whole.get("runAsNonRoot") and not all(context.get("runAsNonRoot") for context in contexts):
            yield ("securityContext", "runAsNonRoot"), "it may run as root", "write true"
        if not whole.get("seccompProfile") and not all(c.get("seccompProfile") for c in contexts):
            path = ("securityContext", "seccompProfile")
            yield path, "it has no seccomp profile", "write seccompProfile: {type: RuntimeDefault}"


def _container(path: tuple[str, ...], container: Mapping[str, Any], *, restricted: bool) -> Iterator[Refusal]:
    context, at = mapping(container.get("securityContext")), (*path, "securityContext")
    for _, port in mappings((), container.get("ports")):
        if port.get("hostPort"):
            yield (*path, "ports"), "it takes a port of the node", "remove hostPort"
    for hook in (*PROBES, "lifecycle"):
        if any(handler.get("host") for handler in _handlers(container.get(hook))):
            yield (*path, hook), "it asks another host than the pod", "remove host"
    if context.get("privileged"):
        yield (*at, "privileged"), "it is privileged", "remove it"
    if context.get("procMount", "Default") != "Default":
        yield (*at, "procMount"), "it changes procMount", "remove it"
    capabilities = mapping(context.get("capabilities"))
    added = {str(name) for name in _listed(capabilities.get("add"))}
    if added - ({"NET_BIND_SERVICE"} if restricted else _DEFAULT_CAPABILITIES):
        yield (*at, "capabilities"), f"it adds {', '.join(sorted(added))}", "remove it"
    yield from _context(at, context, restricted=restricted)
    if not restricted:
        return
    if context.get("allowPrivilegeEscalation") is not False:
        where = (*at, "allowPrivilegeEscalation")
        yield where, "it may gain privileges", "write allowPrivilegeEscalation: false"
    if "ALL" not in _listed(capabilities.get("drop")):
        yield (*at, "capabilities"), "it keeps capabilities", "write drop: [ALL]"
    if context.get("runAsNonRoot") is False:
        yield (*at, "runAsNonRoot"), "it may run as root", "write true"


def _handlers(hook: Any) -> Iterator[Mapping[str, Any]]:
    """What a probe does, or the hooks of a container's life do."""
    for of in (hook, mapping(hook).get("postStart"), mapping(hook).get("preStop")):
        yield from (mapping(mapping(of).get(kind)) for kind in ("httpGet", "tcpSocket"))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _context(at: tuple[str, ...], context: Mapping[str, Any], *, restricted: bool) -> Iterator[Refusal]:
    """What pod and container say alike."""
    if mapping(context.get("seccompProfile")).get("type") == "Unconfined":
        yield (*at, "seccompProfile"), "it runs without a seccomp profile", "remove it"
    if mapping(context.get("appArmorProfile")).get("type") == "Unconfined":
        yield (*at, "appArmorProfile"), "it runs without an AppArmor profile", "remove it"
    if mapping(context.get("windowsOptions")).get("hostProcess"):
        yield (*at, "windowsOptions"), "it is a process of the node", "remove it"
    changed = {str(sysctl.get("name")) for _, sysctl in mappings((), context.get("sysctls"))}
    if unsafe := changed - _SAFE_SYSCTLS:
        yield (*at, "sysctls"), f"it changes {', '.join(sorted(unsafe))}", "remove it"
    selinux = mapping(context.get("seLinuxOptions"))
    if (
        selinux.get("user")
        or selinux.get("role")
        or str(selinux.get("type") or "") not in _SAFE_SELINUX_TYPES
    ):
        yield (*at, "seLinuxOptions"), "it chooses its own SELinux rights", "remove it"
    if restricted and context.get("runAsUser") == 0:
        yield (*at, "runAsUser"), "it runs as root", "write another user"


def _written(at: Loc, job: JobSpec, role: RoleName, path: tuple[str, ...]) -> Loc:
    """The place in the stack file of a place in the pod."""
    field, of_role = path[0], dict(job.roles())[role].pod_overrides
    overrides = of_role if field in of_role else job.pod_overrides
    if field in overrides:
        place: Loc = (
            (*at, role, "pod_overrides", field) if overrides is of_role else (*at, "pod_overrides", field)
        )
        value = overrides[field]
        for name in path[1:]:
            if isinstance(value, list):
                found = [j for j, item in enumerate(value) if mapping(item).get("name") == name]
                step: str | int | None = found[0] if found else None
                value = value[found[0]] if found else None
            else:
                step = name if name in mapping(value) else None
                value = mapping(value).get(name)
            if step is None:
                break
            place = (*place, step)
        if (
            len(path) == 1
            or len(place) > len(at) + (3 if overrides is of_role else 2)
            or path[-1] not in _OURS
        ):
            return place
    return (*at, "security", _OURS[path[-1]]) if path[-1] in _OURS else (*at, "pod_overrides")
