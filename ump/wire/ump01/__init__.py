"""UMP 0.1 as this project serves it: sentences, rendering of events, reading, and the server's side of a session."""
