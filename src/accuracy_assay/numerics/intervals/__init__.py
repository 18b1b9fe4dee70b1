"""Intervals of rates and of finite pools."""
