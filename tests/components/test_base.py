"""What the children of every component have in common."""

import pulumi

from components.base import field_manager


def transformed(typ, props):
    args = pulumi.ResourceTransformArgs(
        custom=True, type_=typ, name="x", props=props, opts=pulumi.ResourceOptions()
    )
    result = field_manager("dev")(args)
    return result.props if result else None


def test_every_object_is_applied_under_the_name_of_its_stack():
    metadata = {"name": "a", "annotations": {"kept": "yes"}}
    assert transformed("kubernetes:core/v1:Secret", {"metadata": metadata, "type": "Opaque"}) == {
        "type": "Opaque",
        "metadata": {
            "name": "a",
            "annotations": {"kept": "yes", "pulumi.com/patchFieldManager": "colocation-dev"},
        },
    }


def test_what_is_stated_and_empty_is_not_sent():
    metadata = {"name": "a", "labels": {}, "finalizers": []}
    sent = transformed("kubernetes:core/v1:Secret", {"metadata": metadata})["metadata"]
    assert sent.keys() == {"name", "annotations"}


def test_what_is_no_object_of_the_cluster_stays():
    assert transformed("kubernetes:kustomize/v2:Directory", {"directory": "d"}) is None
    assert transformed("colocation:training:Tenant", {"metadata": {}}) is None
