"""Acclaim ASF skeletons and AMC motions, as CMU publishes them."""
