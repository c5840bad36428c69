"""The journal: a file for each game, with every input of its table, from which the table can be rebuilt."""
