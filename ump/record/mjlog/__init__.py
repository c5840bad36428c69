"""Read mjlog, the XML records of Tenhou, as events, with the walls from its published shuffle."""
