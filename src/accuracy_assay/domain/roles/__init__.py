"""What the columns of an unknown table seem to be: names tell what they can, rows the rest."""
