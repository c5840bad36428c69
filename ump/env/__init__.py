"""Environments for reinforcement learning, and data sets of decisions from records; docs/learning.md explains them.

The encoding (``action_ids``, ``rows``) and the ``episode`` need no library, ``environments`` need the extra ``rl``,
``batch``, ``array_policy`` and ``hand_arrays`` numpy alone, a ``dataset`` the extra ``tables``.
"""
