"""Tables in processes of their own: one front with all connections, and workers that run complete tables."""
