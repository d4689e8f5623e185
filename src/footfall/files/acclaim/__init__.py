"""Acclaim ASF skeletons and AMC motions, as CMU publishes them; read only.

The skeleton is looked for beside the motion.
"""
