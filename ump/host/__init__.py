"""The pure half of a running server: tables with their receivers, and the waiting line. No Twisted, no clock."""
