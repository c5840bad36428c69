"""Read and write transcripts of UMP 0.1 and 0.2: what a server tells one seat, or a game with all hands."""
