"""The player: motions in their scene as one page that plays in a browser, without a network."""
