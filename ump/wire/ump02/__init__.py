"""UMP 0.2: the dialect that grew from 0.1 in fuzz-inc/libump; the records of M.LEAGUE use its words."""
