"""The network side of ``ump check-client``: it seats one client at real tables, one situation after the other."""
