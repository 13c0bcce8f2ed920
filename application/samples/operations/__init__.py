"""Operations: the flows log-triage and device-maintenance."""
