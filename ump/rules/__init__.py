"""What is allowed and what it is worth: rulesets, the wall, hand analysis, scores, payments, places."""
