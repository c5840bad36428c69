"""What people at a terminal are told about hands and rulesets: values, their texts and their JSON. No I/O."""
