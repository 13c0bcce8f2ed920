"""Operations: the flows log-triage, device-maintenance and load-percentiles."""
