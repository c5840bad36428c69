"""Games of an arena with programs: tables and connections of the server, on ports and pipes of its own."""
