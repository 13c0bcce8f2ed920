"""What Spark's Python processes do before anything else; the folder stands first among the places of their modules."""
