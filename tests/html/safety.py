# SPDX-License-Identifier: GPL-2.0-only
"""Names and arguments cannot break out of the page, and others cannot read it."""
import os
import stat

from stage import same

HIDDEN = "".join(map(chr, [*range(0x200b, 0x2010), *range(0x2028, 0x202f), *range(0x2060, 0x2070), 0xfeff]))


def check_hostile(stage):
    """Names and arguments are always text, and none of it is hidden."""
    page = stage.open("hostile")
    stage.picture("hostile")
    for life in range(page.value("page.lives.count")):
        page.value(f"shared.select({life})")
        page.settle()
    for text in ("script", "<", "\\xff", "__proto__", "${"):
        page.click("#search")
        page.value("document.getElementById('search').select()")
        page.type(text)
        assert page.value("shared.matches.some((match) => match)"), f"{text}: nothing was found"
    same("it ran", page.value("window.ran === undefined"), True)
    same("elements", page.value("document.querySelectorAll('img, iframe, object, embed, link, base, form, svg:not(figure > svg)').length"), 1)
    same("scripts", page.value("document.querySelectorAll('script').length"), 1)
    text = page.value("document.documentElement.innerText + document.title")
    same("hidden characters", [hex(ord(c)) for c in text if c in HIDDEN or (c < " " and c not in "\n\t")], [])
    page.value("page.search.set('')")
    page.settle()
    shown = page.value("document.getElementById('lives').innerText")
    for text in ("window.ran=1", "\u00e9t\u00e9", "\U0001f600", "\\xe2\\x80\\xae", "\\xff"):
        assert text in shown, f"{text} is not shown"
    same("complaints", page.complaints(), [])
    # Only scripts with the nonce run: an injected one does not.
    page.value("""(() => {
        const script = document.createElement('script');
        script.textContent = 'window.ran = 20';
        document.body.append(script);
        const image = document.createElement('img');
        image.setAttribute('onerror', 'window.ran = 21');
        image.src = 'http://127.0.0.1:9/x';
        document.body.append(image);
        const style = document.createElement('style');
        style.textContent = 'body { display: none }';
        document.body.append(style);
    })()""")
    page.settle()
    same("it ran", page.value("window.ran === undefined"), True)
    same("its style", page.value("getComputedStyle(document.body).display"), "block")
    policy = [said for said in page.complaints() if "Content Security Policy" in said]
    assert len(policy) >= 3, f"the policy: {policy}"


def check_file(stage):
    """No other user may read it, whatever file was there before; with --hide-args, it has no arguments."""
    path = stage.write("build")
    same("mode", oct(stat.S_IMODE(os.stat(path).st_mode)), "0o600")
    os.chmod(path, 0o644)
    first = os.stat(path).st_ino
    stage.write("build")
    same("mode", oct(stat.S_IMODE(os.stat(path).st_mode)), "0o600")
    assert os.stat(path).st_ino != first, "it was not replaced"
    same("files", [name for name in os.listdir(stage.folder) if name.startswith("build.html.")], [])
    page = stage.open("build", "--hide-args")
    same("arguments", page.value("page.lives.args.some((line) => line)"), False)
    assert "left out" in page.value("document.getElementById('making').textContent")
    assert "-jar" not in page.value("JSON.stringify([page.lives.strings, page.lives.lines.words, page.lives.facts])")
    page = stage.open("build")
    assert "-jar" in page.value("page.lives.lines.words.join('')")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert "//" not in text.split("</style>")[0].replace("// SPDX", ""), "an address"
