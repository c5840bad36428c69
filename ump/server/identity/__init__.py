"""Who a client is: passwords and access tokens, checked beside the games."""
