"""``python -m accuracy_assay`` is ``assay``."""

from accuracy_assay.cli import main

if __name__ == "__main__":
    main()
