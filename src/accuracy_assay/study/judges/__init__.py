"""What judges and other free signals are worth."""
