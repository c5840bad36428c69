"""Games between policies without a network, and statistics over many of them."""
