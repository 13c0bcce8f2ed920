"""The page: what people see of running flows in a browser, by NiceGUI."""
