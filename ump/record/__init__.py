"""What is remembered: records of games, read from the forms in which others keep them, and played again."""
