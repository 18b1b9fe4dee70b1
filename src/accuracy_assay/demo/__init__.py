"""The demonstration: a whole assay on images that ship with the package."""
