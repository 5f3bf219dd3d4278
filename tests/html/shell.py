# SPDX-License-Identifier: GPL-2.0-only
"""Arguments as in the program's JSON: each byte that is no UTF-8 is U+FFFD."""
import codecs
import subprocess

codecs.register_error("each-byte", lambda wrong: ("\ufffd" * (wrong.end - wrong.start), wrong.end))


def shell_words(text):
    """The words that a shell reads from a command line."""
    result = subprocess.run(["bash", "-c", "eval \"set -- $1\" && printf '%s\\0' \"$@\"", "bash", text],
                            capture_output=True, check=True)
    return [word.decode(errors="each-byte") for word in result.stdout.split(b"\0")[:-1]] if text else []
