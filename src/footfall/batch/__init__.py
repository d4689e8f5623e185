"""Plan many queries on all cores of this machine or on a cluster.

    queries ──► Queries ──► processes here, or a Dask cluster ──► results.jsonl, motions, report

A query is named by the hash of its content, so an interrupted batch goes on where it ended.
"""
