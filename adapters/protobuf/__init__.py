"""Values as Protobuf messages whose schemas are registered."""
