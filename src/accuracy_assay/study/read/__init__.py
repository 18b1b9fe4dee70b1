"""From rows to a problem: what the columns of a table mean, and one reader for every source."""
