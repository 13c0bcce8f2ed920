"""The query server: state stores over REST, with FastAPI on uvicorn, and its client."""
