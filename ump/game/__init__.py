"""Two state machines without clock or network: a kyoku asks questions and tells events, a game strings kyoku together."""
