"""Files that people write, read safely."""
