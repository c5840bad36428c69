"""Tenhou's records, mjlog XML: read as events, with the walls from the published shuffle."""
