"""Runs and check reports for people and for machines. Nothing here decides anything."""
