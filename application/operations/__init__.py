"""What people do with flows that run and topics that are there: redrive, reset, compare, alert; on the ports alone."""
