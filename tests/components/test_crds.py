"""What of a CustomResourceDefinition reaches the cluster."""

from components.rendering.crds import without_descriptions


def definition(schema):
    return {"group": "g", "versions": [{"name": "v1", "served": True, "schema": {"openAPIV3Schema": schema}}]}


def bare(schema):
    return without_descriptions(definition(schema))["versions"][0]["schema"]["openAPIV3Schema"]


def test_prose_goes_wherever_a_schema_stands():
    told = {"type": "string", "description": "prose"}
    assert bare(
        {
            "description": "prose",
            "properties": {"a": told, "b": {"type": "array", "items": told}},
            "additionalProperties": told,
            "anyOf": [told],
        }
    ) == {
        "properties": {"a": {"type": "string"}, "b": {"type": "array", "items": {"type": "string"}}},
        "additionalProperties": {"type": "string"},
        "anyOf": [{"type": "string"}],
    }


def test_a_field_called_description_stays():
    schema = {"properties": {"description": {"type": "string", "description": "prose"}}}
    assert bare(schema) == {"properties": {"description": {"type": "string"}}}


def test_values_are_no_schemas():
    schema = {"default": {"description": "kept"}, "enum": [{"description": "kept"}], "type": "object"}
    assert bare(schema) == schema


def test_everything_else_of_the_definition_stays():
    whole = definition({"type": "object"})
    assert without_descriptions(whole) == whole
