"""Reports: what people see of a surface, on a page, in a picture and in a terminal."""
