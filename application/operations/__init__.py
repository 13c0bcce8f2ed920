"""Operations on running flows and existing topics: redrive, reset, compare, alert. They use the ports only."""
