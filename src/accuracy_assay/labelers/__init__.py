"""Labellers: other tools that take tasks and give answers, through files. One tool per file."""
