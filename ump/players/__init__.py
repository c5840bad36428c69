"""The knowledge of one seat, and policies that choose from it."""
