"""State machines without clock or network: a kyoku asks questions and tells events, a game is kyoku after kyoku."""
