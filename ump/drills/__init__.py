"""Practice: questions about hands and positions whose answers the engine knows."""
