"""The error for journals that cannot be read."""


class JournalError(ValueError):
    """A journal is damaged, or not a journal; the message is one line."""
