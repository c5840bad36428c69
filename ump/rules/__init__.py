"""The rules: rulesets, the wall, legal answers, hand analysis, hand values, payments, final places."""
