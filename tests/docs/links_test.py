#!/usr/bin/env python3
"""The Markdown files of the tree: links lead somewhere, names of files exist, lines are short.

    python3 -B tests/docs/links_test.py    checks the tree and the rules themselves

A link is dead if its file does not exist or its anchor is no heading there. A name is a path below
one of our folders, between backticks, in code or as the target of a link; it may hold *, {a,b} and
words in capitals such as NAME. A line has at most 120 letters; rows of tables, code and the targets
of links may be longer.
"""

import fnmatch
import glob
import os
import re
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = [".ci", "allocator", "cmake", "docs", "replay", "streams", "tests", "tools", "traces"]
MOST_LETTERS = 120
LINK = re.compile(r"\]\(([^)\s]+)(?: \"[^\"]*\")?\)")
NAME = re.compile(r"(?<![\w./:~$-])(?:" + "|".join(map(re.escape, FOLDERS)) + r")/[\w./*{},-]*")
# Headers whose names begin with cuda are NVIDIA's.
SOURCE_NAME = re.compile(r"`((?!cuda)[\w-]+\.(?:h|cpp|cmake))`")
# The only pages of docs that name source files: their tables are read by tests and by the build.
PAGES_WITH_SOURCES = ["docs/reference/fidelity.md", "docs/reference/library.md"]


def is_ours(path):
    """Not what the program wrote, and not what is installed or built."""
    parts = path.split("/")
    if len(parts) == 4 and parts[:2] == ["tests", "golden"]:
        return False
    return not {"node_modules", "dist"} & set(parts) and not parts[0].startswith("build")


def read_pages(top):
    """The text of each Markdown file by its path below `top`."""
    pages = {}
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name not in (".git", ".ccache")]
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), top)
            if name.endswith(".md") and is_ours(path):
                with open(os.path.join(top, path), encoding="utf-8") as file:
                    pages[path] = file.read()
    return pages


def lines_of(text):
    """Each line with its number and whether it is code."""
    in_code = False
    for number, line in enumerate(text.split("\n"), 1):
        is_fence = line.lstrip(" ").startswith("```")
        if is_fence:
            in_code = not in_code
        yield number, line, in_code or is_fence


def plain(heading):
    """The text of a heading without links, backticks and stars."""
    return re.sub(r"[`*]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading))


def anchors_of(text):
    """The anchors that GitHub gives the headings of a page."""
    anchors, times = set(), {}
    for _, line, is_code in lines_of(text):
        heading = None if is_code else re.match(r"#{1,6} +(.*?) *#* *$", line)
        if heading:
            words = re.sub(r"[^\w\- ]", "", plain(heading[1]).lower()).replace(" ", "-")
            count = times[words] = times.get(words, -1) + 1
            anchors.add(f"{words}-{count}" if count else words)
    return anchors


def without_code(line):
    return re.sub(r"`[^`]*`", "``", line)


def dead_links(pages, top):
    found = []
    for path, text in pages.items():
        for number, line, is_code in lines_of(text):
            for target in [] if is_code else LINK.findall(without_code(line)):
                fault = fault_of_link(pages, top, path, target)
                if fault:
                    found.append(f"{path}:{number}: {target}: {fault}")
    return found


def fault_of_link(pages, top, path, target):
    if re.match(r"[a-z]+:", target):
        return None
    name, _, anchor = target.partition("#")
    file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
    if file.startswith("..") or not os.path.exists(os.path.join(top, file)):
        return "no such file"
    if anchor and anchor not in anchors_of(pages.get(file, "")):
        return "no such heading"
    return None


def alternatives(name):
    """`a.{h,cpp}` as the two names that it stands for."""
    braces = re.search(r"\{([^{}]*)\}", name)
    if not braces:
        return [name]
    return [other for choice in braces[1].split(",")
            for other in alternatives(name[:braces.start()] + choice + name[braces.end():])]


def as_pattern(name):
    """Words in capitals such as NAME stand for any name; README and CMakeLists are names."""
    return re.sub(r"(?<![A-Za-z])(?!README\b)[A-Z]{2,}(?![A-Za-z])", "*", name)


def exists(top, name):
    """Whether the file, the folder, or a file of that stem exists."""
    place = os.path.join(glob.escape(top), as_pattern(name.rstrip(".,-")))
    return bool(glob.glob(place) or glob.glob(place + ".*"))


def quoted_parts(line, is_code):
    """Code as a whole; otherwise the parts between backticks and the texts of links."""
    if is_code:
        return [line]
    return re.findall(r"`([^`]*)`", line) + re.findall(r"\[([^\]]*)\]\(", line)


def missing_names(pages, top):
    found = []
    for path, text in pages.items():
        for number, line, is_code in lines_of(text):
            for part in quoted_parts(line, is_code):
                for name in NAME.findall(part):
                    if not all(exists(top, one) for one in alternatives(name)):
                        found.append(f"{path}:{number}: {name}: no such file or folder")
    return found


def named_sources(pages):
    """Pages outlive files, so they name rooms."""
    found = []
    for path, text in pages.items():
        if not path.startswith("docs/") or path in PAGES_WITH_SOURCES:
            continue
        for number, line, is_code in lines_of(text):
            for part in [] if is_code else quoted_parts(line, is_code):
                if re.fullmatch(r"(?!cuda)[\w./-]+\.(?:h|cpp|cu|cmake|ts|mjs)", part):
                    found.append(f"{path}:{number}: {part}: a page names rooms, no source files")
    return found


def missing_sources(pages, top):
    """Names such as `rule.h`, which a README gives without a folder."""
    known = {name for folder in FOLDERS for _, _, files in os.walk(os.path.join(top, folder))
             for name in files}
    return [f"{path}:{number}: {name}: no such file"
            for path, text in pages.items() for number, line, is_code in lines_of(text)
            if not is_code for name in SOURCE_NAME.findall(line)
            if not fnmatch.filter(known, as_pattern(name))]


def overlong_lines(pages):
    found = []
    for path, text in pages.items():
        for number, line, is_code in lines_of(text):
            if is_code or line.startswith(("|", "    ")):
                continue
            letters = len(re.sub(r"\]\([^)]*\)", "]", line))
            if letters > MOST_LETTERS:
                found.append(f"{path}:{number}: {letters} letters: the most is {MOST_LETTERS}")
    return found


class PagesOfTheTree(unittest.TestCase):
    """The rules on our own pages."""

    @classmethod
    def setUpClass(cls):
        cls.pages = read_pages(TOP)

    def expect_none(self, faults):
        if faults:
            self.fail(f"{len(faults)} faults\n" + "\n".join(faults))

    def test_are_all_read(self):
        self.assertGreater(len(self.pages), 40)
        for path in ["README.md", "CONTRIBUTING.md", "docs/README.md", *PAGES_WITH_SOURCES,
                     "allocator/README.md", "tests/golden/README.md"]:
            self.assertIn(path, self.pages)
        self.assertNotIn("tests/golden/diff/same.md", self.pages)
        names = sum(len(NAME.findall(text)) for text in self.pages.values())
        self.assertGreater(names, 200)

    def test_have_no_dead_link(self):
        self.expect_none(dead_links(self.pages, TOP))

    def test_name_only_files_that_exist(self):
        self.expect_none(missing_names(self.pages, TOP) + missing_sources(self.pages, TOP))

    def test_of_docs_name_no_source_files(self):
        self.expect_none(named_sources(self.pages))

    def test_have_short_lines(self):
        self.expect_none(overlong_lines(self.pages))


class ReadingGuide(unittest.TestCase):
    """The rules and the stations of the tour that docs/reference/reading_guide.md names exist."""

    def cells(self, page, titles):
        """The cells below one of these titles, of all tables."""
        found, column = [], None
        for row in page.splitlines():
            cells = [cell.strip() for cell in row.split("|")[1:-1]]
            if not cells:
                column = None
            elif set(titles) & set(cells):
                column = next(cells.index(title) for title in titles if title in cells)
            elif column is not None:
                found.append(cells[column])
        return found

    def test_rules_and_stations_exist(self):
        pages = read_pages(TOP)
        guide = pages["docs/reference/reading_guide.md"]
        rules = set(re.findall(r"^\| (\d+\.\d+) \|", pages["docs/reference/fidelity.md"], re.MULTILINE))
        named = set(re.findall(r"\d+\.\d+", " ".join(self.cells(guide, ("rule", "rules")))))
        self.assertGreater(len(named), 50)
        self.assertLessEqual(named, rules)
        programs = os.listdir(os.path.join(TOP, "tools/web/page/tour"))
        stations = {int(name[:2]) for name in programs if name[0].isdigit()}
        told = set(map(int, re.findall(r"\d+", " ".join(self.cells(guide, ("station",))))))
        self.assertEqual(told, stations)


class Rules(unittest.TestCase):
    """The rules on made-up trees: they can say no."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = folder.name
        for path, text in {
                "docs/a.md": "# A page\n## Two words: `code`\n## Again\n## Again\n",
                "docs/b.md": "", "tools/run.sh": "", "tools/build/one.h": "",
                "tools/build/one.cpp": "", "tests/golden/diff/same.md": "",
                "tools/web/node_modules/x/README.md": ""}.items():
            os.makedirs(os.path.dirname(f"{self.top}/{path}"), exist_ok=True)
            with open(f"{self.top}/{path}", "w", encoding="utf-8") as file:
                file.write(text)

    def links(self, text):
        return dead_links({**read_pages(self.top), "docs/b.md": text}, self.top)

    def names(self, text):
        return missing_names({"docs/b.md": text}, self.top)

    def test_pages_that_the_program_wrote_or_others_made_are_not_read(self):
        self.assertEqual(sorted(read_pages(self.top)), ["docs/a.md", "docs/b.md"])

    def test_link_to_a_file_or_heading_that_exists_is_fine(self):
        self.assertEqual(self.links("[a](a.md) [b](a.md#two-words-code) [c](../tools/run.sh)\n"
                                    "[d](#own) [e](https://example.com/x#y) [f](a.md#again-1)\n"
                                    "# Own\n"), [])

    def test_dead_links_are_found(self):
        self.assertEqual(self.links("[a](c.md)"), ["docs/b.md:1: c.md: no such file"])
        self.assertEqual(self.links("\n[a](a.md#three)"),
                         ["docs/b.md:2: a.md#three: no such heading"])
        self.assertEqual(self.links("[a](#nowhere)"), ["docs/b.md:1: #nowhere: no such heading"])
        self.assertEqual(self.links("[a](../../x.md)"), ["docs/b.md:1: ../../x.md: no such file"])
        self.assertEqual(len(self.links("![a picture](images/a.png)")), 1)

    def test_links_in_code_are_text(self):
        self.assertEqual(self.links("```\n[a](c.md)\n```\n`[a](c.md)`\n"), [])
        self.assertEqual(len(self.links("```\n```\n[a](c.md)")), 1)

    def test_names_that_exist_are_fine(self):
        self.assertEqual(self.names("`tools/run.sh`, `bash tools/run.sh 1 2`, `tools/build/one`,"
                                    "`tools/build/one.{h,cpp}`, `tools/*/one.h`, `tools/NAME.sh`,"
                                    "`tools/build/`, `../tools/gone.sh`, `build/tools/gone`"), [])

    def test_names_that_do_not_exist_are_found(self):
        self.assertEqual(self.names("`tools/gone.sh`"),
                         ["docs/b.md:1: tools/gone.sh: no such file or folder"])
        for text in ["`bash tools/gone.sh 1`", "```\nbash tools/gone.sh\n```", "`streams/`",
                     "`tools/build/one.{h,py}`", "[tools/gone.sh](https://example.com)"]:
            self.assertEqual(len(self.names(text)), 1, text)

    def test_source_without_a_folder_has_to_exist_somewhere(self):
        self.assertEqual(missing_sources({"docs/b.md": "`one.h` and `user.py`"}, self.top), [])
        self.assertEqual(missing_sources({"docs/b.md": "`two.h`"}, self.top),
                         ["docs/b.md:1: two.h: no such file"])

    def test_source_file_on_a_page_is_found(self):
        self.assertEqual(len(named_sources({"docs/b.md": "`tools/build/one.h`"})), 1)
        self.assertEqual(named_sources({"docs/b.md": "`tools/build`", "tools/README.md": "`one.h`",
                                        PAGES_WITH_SOURCES[0]: "`one.h`"}), [])

    def test_line_has_at_most_120_letters(self):
        def judged(text):
            return overlong_lines({"docs/b.md": text})
        self.assertEqual(judged("x" * 121), ["docs/b.md:1: 121 letters: the most is 120"])
        self.assertEqual(judged("\u00e4" * 120), [])
        self.assertEqual(judged("| " + "x" * 200 + " |\n\n    " + "x" * 200), [])
        self.assertEqual(judged("```\n" + "x" * 200 + "\n```\n[a](" + "x" * 200 + ")"), [])
        self.assertEqual(len(judged("```\n```\n" + "x" * 121 + "\n[" + "x" * 130 + "](a.md)")), 2)


if __name__ == "__main__":
    unittest.main()
