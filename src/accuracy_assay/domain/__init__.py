"""Values of the field: spaces, evidence, observations, surfaces, events. No maths, no files."""
