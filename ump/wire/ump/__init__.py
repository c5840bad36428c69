"""UMP 0.1 and 0.2: their sentences, and both sides of a connection without input or output."""
