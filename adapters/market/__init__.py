"""Real market data from the sample data of Bokeh, the only place that imports that library."""
