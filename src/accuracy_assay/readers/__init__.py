"""Readers of other tools' files: each turns them into answers, and one place joins the answers."""
