"""The Surface page: views of the accuracy surface as JSON, CSV and pictures."""
