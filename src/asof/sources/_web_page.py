"""A web page that somebody saved in the place of a file."""

_BEGINNINGS = (b"<!doctype html", b"<html", b"<head", b"<body")


def is_page(head: bytes) -> bool:
    r"""Tell whether a file begins as a web page does.

    >>> is_page(b"\n<!DOCTYPE html><title>Sign in</title>"), is_page(b"subject,relation")
    (True, False)
    """
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(_BEGINNINGS)


def page_instead(path: object) -> str:
    """Say that a file is a web page, and how to get what was meant."""
    return (
        f"{path} is a web page, not the file itself: the address gave a page to look at, perhaps one to log in. "
        "Open it in a browser, choose its download (in Google Sheets: File, Download, Comma Separated Values), and "
        "mine that file."
    )
