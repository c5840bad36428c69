"""Majiang (kobalab's 電脳麻将): JSON messages, each of which needs one reply."""
