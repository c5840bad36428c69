"""One table: seats, open questions, deadlines, what each seat may see, and what to record. Time is an argument."""
