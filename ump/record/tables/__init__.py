"""Write recorded games as tidy tables: games, kyoku, wins and decisions, a row for each."""
