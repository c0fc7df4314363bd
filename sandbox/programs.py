"""Which programs there are, from which Go module each is built, and what lies beside it."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox import gomod

KUBERNETES = "k8s.io/kubernetes"
PULUMI = "github.com/pulumi/pulumi/pkg/v3"
PULUMI_SDK = "github.com/pulumi/pulumi/sdk/v3"
PULUMI_KUBERNETES = "github.com/pulumi/pulumi-kubernetes/provider/v4"
TRAINING_OPERATOR = "github.com/kubeflow/training-operator"
KWOK = "sigs.k8s.io/kwok"
ETCD = "go.etcd.io/etcd/server/v3"
COREDNS = "github.com/coredns/coredns"
PROMETHEUS_OPERATOR = "github.com/prometheus-operator/prometheus-operator"
PROMETHEUS = "github.com/prometheus/prometheus"
ALERTMANAGER = "github.com/prometheus/alertmanager"
NODE_EXPORTER = "github.com/prometheus/node_exporter"
STATE_METRICS = "k8s.io/kube-state-metrics/v2"
KUEUE = "sigs.k8s.io/kueue"
ACTIONLINT = "github.com/rhysd/actionlint"
VEGETA = "github.com/tsenart/vegeta/v12"


@dataclass(frozen=True)
class Program:
    """A program and its main package; `built_as` is how `go build` names the file."""

    name: str
    package: str
    built_as: str


@dataclass(frozen=True)
class Copy:
    """A file or folder of a module that goes beside the sources or beside the programs."""

    module: str
    source: str
    target: str
    executable: bool = False


@dataclass(frozen=True)
class Group:
    """Programs that share a go.mod and are built together.

    Fields: stamps are linker variables with the version they get; embedded is copied into the sources
    before the build, beside into the result after it; completed are modules that are built from a copy
    among the sources, where files lie that the module lacks; tags are build constraints; gibibytes is what a
    build with empty Go caches leaves: the packages that `go list -deps -export` names, their modules with the
    archives, and the result; on_demand groups are built by what asks for them, not with all the others.
    """

    name: str
    programs: tuple[Program, ...]
    gibibytes: float
    stamps: tuple[tuple[str, str], ...] = ()
    embedded: tuple[Copy, ...] = ()
    beside: tuple[Copy, ...] = ()
    completed: tuple[Copy, ...] = ()
    tags: tuple[str, ...] = ()
    on_demand: bool = False


def group_of(program: str) -> Group:
    for group in groups():
        if any(member.name == program for member in group.programs):
            return group
    raise KeyError(f"no group builds {program}")


def names() -> tuple[str, ...]:
    """Every program but those that are built on demand."""
    return tuple(member.name for group in groups() if not group.on_demand for member in group.programs)


def groups() -> tuple[Group, ...]:
    """All groups, in the order in which they are built: quick ones first."""
    return (
        _simple("pause", "pause", ".", 0.1),
        _simple("actionlint", "actionlint", f"{ACTIONLINT}/cmd/actionlint", 0.2),
        _simple("vegeta", "vegeta", VEGETA, 0.2),
        _simple("etcd", "etcd", ETCD, 0.7, built_as="server"),
        _pulumi_language(),
        _simple("kwok", "kwok", f"{KWOK}/cmd/kwok", 1.2),
        _training_operator(),
        _simple("coredns", "coredns", COREDNS, 2.4),
        _monitoring(),
        _kueue(),
        _kubernetes(),
        _pulumi(),
    )


def _simple(group: str, name: str, package: str, gibibytes: float, built_as: str = "") -> Group:
    return Group(group, (Program(name, package, built_as or name),), gibibytes)


def _kubernetes() -> Group:
    names = (
        "kube-apiserver",
        "kube-controller-manager",
        "kube-scheduler",
        "kubelet",
        "kube-proxy",
        "kubectl",
    )
    version = gomod.version("kubernetes", KUBERNETES)
    major, minor, _ = version.removeprefix("v").split(".")
    stamps = [
        (f"{package}.{variable}", value)
        for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
        for variable, value in (("gitVersion", version), ("gitMajor", major), ("gitMinor", minor))
    ]
    members = tuple(Program(name, f"{KUBERNETES}/cmd/{name}", name) for name in names)
    return Group("kubernetes", members, 4.2, stamps=tuple(stamps))


def _pulumi() -> Group:
    """CLI and Kubernetes provider: most of what they compile is the same.

    The provider's own main embeds generated files that its module lacks, so ours takes the place.
    """
    provider = gomod.version("pulumi", PULUMI_KUBERNETES).removeprefix("v")
    folder = "cmd/pulumi-resource-kubernetes"
    embedded = tuple(
        Copy(PULUMI_KUBERNETES, f"{folder}/{file}", f"kubernetes-provider/{file}")
        for file in ("schema.json", "terraform-mapping.json")
    )
    return Group(
        "pulumi",
        (
            Program("pulumi", f"{PULUMI}/cmd/pulumi", "pulumi"),
            Program("pulumi-resource-kubernetes", "./kubernetes-provider", "kubernetes-provider"),
        ),
        7,
        stamps=(
            (f"{PULUMI_SDK}/go/common/version.Version", gomod.version("pulumi", PULUMI)),
            (f"{PULUMI_KUBERNETES}/pkg/version.Version", provider),
        ),
        embedded=embedded,
    )


def _pulumi_language() -> Group:
    """The language host starts two scripts of its module, which it looks for beside itself."""
    name = "pulumi-language-python"
    scripts = {
        "python/cmd/pulumi-language-python-exec": "pulumi-language-python-exec",
        "python/dist/pulumi-resource-pulumi-python": "pulumi-resource-pulumi-python",
        "python/dist/pulumi-analyzer-policy-python": "pulumi-analyzer-policy-python",
    }
    return Group(
        name,
        (Program(name, f"{PULUMI_SDK}/python/cmd/{name}", name),),
        0.5,
        stamps=((f"{PULUMI_SDK}/go/common/version.Version", gomod.version(name, PULUMI_SDK)),),
        beside=tuple(Copy(PULUMI_SDK, source, target, executable=True) for source, target in scripts.items()),
    )


def _training_operator() -> Group:
    """With the manifests of the same version: the sandbox installs from them."""
    name = "training-operator"
    return Group(
        name,
        (Program(name, f"{TRAINING_OPERATOR}/cmd/training-operator.v1", "training-operator.v1"),),
        1.3,
        beside=(Copy(TRAINING_OPERATOR, "manifests", "manifests"),),
    )


def _monitoring() -> Group:
    """The monitoring stack in one module: most of what its programs compile is the same.

    Alertmanager embeds pages that its module lacks; ours is one page that says so. Prometheus is built
    without the discovery of clouds, which nothing here asks for.
    """
    operator = f"{PROMETHEUS_OPERATOR}/cmd"
    return Group(
        "monitoring",
        (
            Program("prometheus-operator", f"{operator}/operator", "operator"),
            Program(
                "prometheus-config-reloader",
                f"{operator}/prometheus-config-reloader",
                "prometheus-config-reloader",
            ),
            Program("prometheus", f"{PROMETHEUS}/cmd/prometheus", "prometheus"),
            Program("promtool", f"{PROMETHEUS}/cmd/promtool", "promtool"),
            Program("alertmanager", f"{ALERTMANAGER}/cmd/alertmanager", "alertmanager"),
            Program("amtool", f"{ALERTMANAGER}/cmd/amtool", "amtool"),
            Program("node-exporter", NODE_EXPORTER, "node_exporter"),
            Program("kube-state-metrics", STATE_METRICS, "kube-state-metrics"),
        ),
        3.5,
        beside=(Copy(PROMETHEUS_OPERATOR, "example/prometheus-operator-crd", "crds"),),
        completed=(Copy(ALERTMANAGER, ".", "alertmanager"),),
        tags=("remove_all_sd", "enable_kubernetes_sd"),
    )


def _kueue() -> Group:
    """With the manifests and the chart of the same version. At the versions of Kubernetes' modules that the
    training operator and the monitoring stack have: half of what it compiles is compiled already.
    """
    return Group(
        "kueue",
        (Program("kueue", f"{KUEUE}/cmd/kueue", "kueue"),),
        1.5,
        beside=(Copy(KUEUE, "config", "manifests"), Copy(KUEUE, "charts/kueue", "chart")),
        on_demand=True,
    )
