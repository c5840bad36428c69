"""What an operator asks of a running server, through a UNIX socket."""
