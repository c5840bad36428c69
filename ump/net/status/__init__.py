"""The state of a running server for its operator: connections, tables, finished games, errors, delay.

Nothing of a running game is in it. What players answer is counted when their game is over, because a count of, say,
refused wins would tell the others something during the game.
"""
