"""The check of a client: arranged situations, scripted players around the client, and the verdict on what it did."""
