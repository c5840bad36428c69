"""UMP 0.2: the dialect that grew from 0.1 in fuzz-inc/libump, which M.LEAGUE's records share the words of."""
