"""Orders of the operator to a running server, through a UNIX socket."""
