"""What one seat knows, and policies that choose from it."""
