"""The game as pure state machines: a kyoku asks questions and emits events, a game is a sequence of kyoku."""
