"""What the plug-in for pytest does."""
