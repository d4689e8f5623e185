"""The least-effort motion for a task, with a proven bound (Safonova & Hodgins 2007)."""
