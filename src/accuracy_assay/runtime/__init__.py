"""What JAX needs around the maths: precision, device, compiled code, padded shapes."""
