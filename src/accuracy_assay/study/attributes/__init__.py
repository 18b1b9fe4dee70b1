"""Which columns would make good attributes."""
