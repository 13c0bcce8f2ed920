"""What views are made of: tables, charts, formats."""
