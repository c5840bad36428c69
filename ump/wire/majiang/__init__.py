"""Majiang (kobalab's 電脳麻将): JSON messages, of which each wants one reply."""
