"""Write a recorded game for browsers: its events with notes about each position, as data or as a page of its own."""
