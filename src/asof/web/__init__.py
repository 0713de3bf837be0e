"""The explorer: a base and runs on a local page, each page also as JSON under the same address.

Needs the extra ``web`` (FastAPI, uvicorn, Jinja2).
"""
