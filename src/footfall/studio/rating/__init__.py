"""The rating study: people grade how natural blends of motion look (van Basten & Egges, §5.2.3)."""
