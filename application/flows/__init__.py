"""What a flow is: a named topology with settings; finding flows by name, and the messages about their alerts."""
