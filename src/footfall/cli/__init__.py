"""The command line: one program, `footfall`, one file per verb."""
