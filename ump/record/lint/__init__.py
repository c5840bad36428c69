"""The linter of records: every fault of a record that was written by hand or by another program, not only the first."""
