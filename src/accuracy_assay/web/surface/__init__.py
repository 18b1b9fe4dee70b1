"""The surface on the page."""
