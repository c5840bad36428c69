"""The state of a running server for its operator: connections, tables, finished games, errors, delay.

It holds nothing of a running game. The answers of players are counted when their game is over, because a count of, say,
refused wins would tell the others something during the game.
"""
