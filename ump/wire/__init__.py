"""What is said: codecs and session grammar of each dialect, without input or output of their own."""
