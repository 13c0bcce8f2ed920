"""Real market data, from the sample data of Bokeh: the one place that knows that library."""
