"""Environments for reinforcement learning, and data sets of decisions from records; docs/learning.md explains them.

The encoding (``action_ids``, ``rows``, ``planes``), the ``episode`` and the ``decisions`` of a record need no library.
``aec`` needs the extra ``rl``, ``batch`` numpy alone, ``shards`` the extra ``tables``.
"""
