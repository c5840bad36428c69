"""Read and write paipu, the records of kobalab's Majiang programs."""
