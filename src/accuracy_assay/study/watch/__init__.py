"""Whether a service is still as good as it was, and where it got worse."""
