"""The network: connections, rooms, running tables and child processes, on Twisted."""
