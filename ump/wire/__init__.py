"""The protocols: codecs and sessions of each dialect, without input or output of their own."""
