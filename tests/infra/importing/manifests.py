"""Manifests for tests: a small good one, and ways to change it."""

import copy

import yaml

from infra.importing import imported

SMALL = yaml.safe_load("""
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: mnist, namespace: vision}
spec:
  runPolicy: {cleanPodPolicy: Running}
  tfReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: OnFailure
      template:
        metadata: {annotations: {sidecar.istio.io/inject: "false"}}
        spec:
          priorityClassName: offline-low
          containers:
            - name: tensorflow
              image: registry.example/mnist:1.4
              resources: {limits: {cpu: "2", memory: 4Gi}}
""")


def manifest(roles=("Worker",), **spec):
    """The small job with these roles, each like its worker, and more in its `spec`."""
    made = copy.deepcopy(SMALL)
    worker = made["spec"]["tfReplicaSpecs"].pop("Worker")
    made["spec"]["tfReplicaSpecs"] = {role: copy.deepcopy(worker) for role in roles}
    for role in roles:
        if role in ("Chief", "Master"):
            made["spec"]["tfReplicaSpecs"][role]["replicas"] = 1
    made["spec"] |= spec
    return made


def pod(job, role="Worker"):
    return job["spec"]["tfReplicaSpecs"][role]["template"]["spec"]


def with_pod(role="Worker", roles=("Worker",), **fields):
    job = manifest(roles)
    pod(job, role).update(fields)
    return job


def with_container(role="Worker", roles=("Worker",), **fields):
    job = manifest(roles)
    pod(job, role)["containers"][0].update(fields)
    return job


def found(job, *severities):
    """Codes of what is found, of these severities, or of faults."""
    wanted = severities or ("fault",)
    return [finding.code for finding in imported(job).findings if finding.severity in wanted]


def faults(job):
    """Place and sentence of each fault."""
    return {
        ".".join(map(str, f.place)): f"{f.message}; {f.remedy}"
        for f in imported(job).findings
        if f.severity == "fault"
    }


def entry(job):
    """The entry of a job without faults."""
    result = imported(job)
    assert result.entry is not None, faults(job)
    return dict(result.entry)
