"""Generates JSON Schemas without docstrings: rewording a docstring must not register a new version of a schema."""

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core.core_schema import DataclassSchema


class DocstringFreeJsonSchema(GenerateJsonSchema):
    """Leaves out the descriptions that pydantic takes from the docstrings of dataclasses and enums."""

    def generate(self, schema: CoreSchema, mode: JsonSchemaMode = "validation") -> JsonSchemaValue:
        """Return the schema of a type."""
        generated = super().generate(schema, mode)
        for each in (generated, *generated.get("$defs", {}).values()):
            if "enum" in each:
                each.pop("description", None)
        return generated

    def dataclass_schema(self, schema: DataclassSchema) -> JsonSchemaValue:
        """Return the schema of a dataclass."""
        return {name: value for name, value in super().dataclass_schema(schema).items() if name != "description"}
