"""Read and write mjai's logs (``.mjson``): the events of a server, an object on each line, without hidden tiles."""
