"""Does a surface hold what a release asks for."""
