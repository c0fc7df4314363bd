"""What PriorityClasses declares."""

from components.priority_classes import PriorityClasses, PriorityClassesArgs
from infra.models import PrioritySpec

ONLINE = {"name": "online-high", "value": 100_000, "kind": "online", "global_default": True}
OFFLINE = {"name": "offline-low", "value": 1000, "kind": "offline"}


def declared_by(declare, *priorities):
    specs = tuple(PrioritySpec.model_validate(priority) for priority in priorities)
    return declare(lambda: PriorityClasses("priorities", PriorityClassesArgs(priorities=specs)))


def test_an_offline_class_never_preempts_and_an_online_one_may(declare):
    declared = declared_by(declare, ONLINE, OFFLINE)
    assert declared.named("priorities-offline-low").inputs["preemptionPolicy"] == "Never"
    assert declared.named("priorities-online-high").inputs["preemptionPolicy"] == "PreemptLowerPriority"


def test_pods_without_a_class_get_the_online_one(declare):
    declared = declared_by(declare, ONLINE, OFFLINE)
    assert declared.named("priorities-online-high").inputs["globalDefault"] is True
    assert declared.named("priorities-offline-low").inputs["globalDefault"] is False


def test_classes_bear_the_names_that_pods_refer_to(declare):
    declared = declared_by(declare, ONLINE, OFFLINE)
    names = {resource.inputs["metadata"]["name"] for resource in declared.resources if resource.inputs}
    assert names == {"online-high", "offline-low"}


def test_a_changed_value_replaces_the_class_since_kubernetes_refuses_to_edit_it(declare):
    request = declared_by(declare, OFFLINE).requests["priorities-offline-low"]
    assert "value" in request.replaceOnChanges
    assert request.deleteBeforeReplace is True
