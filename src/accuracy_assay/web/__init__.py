"""The page of an assay: label, watch the surface, lead a team. An edge, like the command line."""
