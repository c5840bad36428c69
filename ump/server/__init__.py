"""The server: settings, rooms, tables that run, journals on disk, users, ladder, administration."""
