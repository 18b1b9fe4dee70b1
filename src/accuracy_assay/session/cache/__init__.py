"""Everything that may be deleted: a session computes it again."""
