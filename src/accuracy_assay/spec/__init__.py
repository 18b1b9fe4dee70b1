"""The spec file ``assay.toml``: what is assayed, by whom it is answered, and how."""
