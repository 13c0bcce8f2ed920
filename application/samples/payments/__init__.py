"""Payments: the flow payment-approval."""
