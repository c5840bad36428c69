"""Reports for people and scripts: hands, wins and rulesets as values, text and JSON; progress of long runs."""
