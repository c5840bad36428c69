"""Write recorded games as text, as people write them down: hands, and draws over discards in columns."""
