"""The work of the plug-in for pytest."""
