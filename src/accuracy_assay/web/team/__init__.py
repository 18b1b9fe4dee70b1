"""Leading a team on the page."""
