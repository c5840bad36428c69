"""Twisted: connections, rooms, house players, the service."""
