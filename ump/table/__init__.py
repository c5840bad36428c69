"""Who sits at a table, what each may see, and by when each must answer. Time is an argument."""
