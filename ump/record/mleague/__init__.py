"""Read and write the records of M.LEAGUE: the sentences of UMP 0.2 in JSON, as its viewer receives them."""
