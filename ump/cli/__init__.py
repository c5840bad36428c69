"""The command ``ump``: one module for each command."""
