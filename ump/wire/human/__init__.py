"""The dialect for people: a game in plain words, for somebody who types at a terminal."""
