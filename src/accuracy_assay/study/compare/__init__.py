"""Services side by side."""
