"""The tree keeps the rules of the house, and each rule can say no.

Run it from anywhere: `python3 tests/layout/layout_test.py [-v] [TestClass[.test]]`. The tables come
first, then the rules as functions over values, which return the broken rules as sentences, then the
tests: `TheTree` asks the repository itself, the other classes hand the rules good and bad files.
"""
import ast
import functools
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# ---- Tables -----------------------------------------------------------------------------------

# The rooms of each part of the house, lowest level first. A room may include the rooms of lower
# levels of its part, so two rooms of one level do not know each other. A folder without a line of
# its own has the level of the nearest room above it.
LEVELS = {
    "allocator": [
        ["allocator/types"],
        ["allocator/options"],
        ["allocator/blocks", "allocator/pinned"],
        ["allocator/listeners"],
        ["allocator/policy"],
        ["allocator"],
        ["allocator/checks"],
    ],
    "streams": [
        ["streams/cuda_interface", "streams/memory", "streams/stream_model"],
        ["streams/happens_before", "streams/device"],
        ["streams/ordered_pool", "streams/hazards", "streams/live"],
    ],
    "traces": [
        ["traces/io"],
        ["traces/model"],
        ["traces/json", "traces/pickle"],
        ["traces/native", "traces/logs", "traces/cases", "traces/filters", "traces/workloads"],
        ["traces/formats"],
    ],
    "replay": [
        ["replay/metrics", "replay/fit"],
        ["replay/recording"],
        ["replay/kinds", "replay/replayer"],
        ["replay/call_sites"],
        ["replay/timeline", "replay/stream_waits", "replay/settings_search", "replay/conformance"],
        ["replay/compare", "replay/packing"],
        ["replay/explain"],
        ["replay/html_report"],
    ],
    "tools/cli": [
        ["tools/cli/printers"],
        ["tools/cli/kit"],
        ["tools/cli/commands"],
        # Commands that show parts of what the others show.
        ["tools/cli/commands/advise", "tools/cli/commands/capacity", "tools/cli/commands/dry_run",
         "tools/cli/commands/policies", "tools/cli/commands/watch"],
        ["tools/cli/commands/bisect", "tools/cli/commands/fit", "tools/cli/commands/serve"],
        ["tools/cli"],
    ],
    "tools/preload": [
        ["tools/preload/names", "tools/preload/segments"],
        ["tools/preload/ground"],
        ["tools/preload/driver"],
        ["tools/preload/recorder", "tools/preload/shim"],
        ["tools/preload/exports"],
    ],
    "tools/cuda_standins": [
        ["tools/cuda_standins/code", "tools/cuda_standins/device_files",
         "tools/cuda_standins/linked_runtime", "tools/cuda_standins/notes", "tools/cuda_standins/smi",
         "tools/cuda_standins/libraries/kit"],
        ["tools/cuda_standins/model", "tools/cuda_standins/libraries", "tools/cuda_standins/runtime"],
        ["tools/cuda_standins/driver", "tools/cuda_standins/runtime/v12",
         "tools/cuda_standins/runtime/v13"],
        ["tools/cuda_standins/process"],
    ],
    "tools/packaging": [
        ["tools/packaging/old_libc"],
        ["tools/packaging/old_libc/functions", "tools/packaging/old_libc/dlsym",
         "tools/packaging/old_libc/start"],
    ],
    "tools/python": [["tools/python"]],
    "tools/pytorch": [["tools/pytorch"]],
    "tools/web": [["tools/web/page"]],
    "tools/portable": [["tools/portable"]],
    "tests/support": [
        ["tests/support/processes", "tests/support/devices"],
        ["tests/support/kit"],
        ["tests/support/programs", "tests/support/recordings", "tests/support/fuzz"],
        ["tests/support/twin", "tests/support/naive", "tests/support/cases"],
    ],
}

# The parts and rooms of others that a part may include. tests/ may include everything.
ARROWS = {
    "allocator": [],
    "streams": ["allocator"],
    "traces": ["allocator/types", "allocator/options"],
    "replay": ["streams", "traces", "allocator"],
    "tools/cli": ["replay", "streams", "traces", "allocator", "tools/preload/names"],
    "tools/preload": ["streams", "allocator"],
    "tools/cuda_standins": ["streams", "allocator"],
    "tools/packaging": [],
    "tools/portable": ["tools/cli"],
    "tools/python": [],
    "tools/pytorch": ["replay", "streams", "traces", "allocator"],
    "tools/web": ["tools/cli", "replay", "streams", "traces", "allocator"],
}

# Includes against the levels that are known, each until somebody moves the header.
KNOWN_EXCEPTIONS = set()

# traces/ sees values of the allocator, without behaviour of their own. Of these rooms all headers
# but some, and they include only each other.
VALUE_ROOMS = ["allocator/types", "allocator/options"]
NO_VALUES = ["allocator/types/device.h", "allocator/types/classic_device.h"]

# Headers that only these rooms and files may include, from all folders but tests/.
ONLY_THERE = {
    "traces/formats/open_trace.h": ["replay/recording", "traces/formats", "tools/cli"],
    "traces/formats/trace_formats.h": ["replay/recording", "traces/formats", "tools/cli"],
}

# Words that begin no comment.
NO_SUBJECTS = ["What", "That", "Those", "Of", "Whose", "Nothing", "Where"]

# Sources that start threads. The thread sanitizer runs tests/threads and the tests of the program,
# so a library that starts one needs a test in there; tools/dev/check.sh names the other programs
# that it runs. Programs for a GPU have no sanitizer.
SOURCES_WITH_THREADS = [
    "tests/cuda_standins/libraries/nccl_ranks_test.cpp",
    "tests/cuda_standins/runtime/threads_test.cpp",
    "tests/fake_cuda/programs/threads.cpp",
    "tests/fake_cuda/tests/fake_threads_test.cpp",
    "tests/gpu/host_threads.h",
    "tests/gpu/watchdog.h",
    "tests/live/torch/torch_threads_test.cpp",
    "tests/preload/programs/allocating_library.cpp",
    "tests/preload/programs/direct.cpp",
    "tests/preload/programs/reporting.cpp",
    "tests/preload/unwind_rules_test.cpp",
    "tests/shim/mix/mixed_contexts.cpp",
    "tests/shim/mix/mixed_round.cpp",
    "tests/shim/programs/shim_bench.cpp",
    "tests/shim/programs/shim_soak.cpp",
    "tests/shim/shim_expandable_threads_test.cpp",
    "tests/shim/shim_history_stacks_test.cpp",
    "tests/shim/shim_running_ahead_test.cpp",
    "tests/shim/shim_threads_test.cpp",
    "tools/cuda_standins/model/time_mover.h",
    "tools/cli/kit/interrupts.h",
    "tools/cli/kit/what_if_runs.cpp",
]
THREADED_TESTS = "tests/threads"

# Tests get a folder of their own from this header: tests that run at once must not meet in a file.
HOME_OF_TEST_FILES = "tests/support/kit/own_folder.h"

# Sources that CMake names: programs of one file each that are linked differently, and sources that
# are compiled in another way. All others are found by their room.
SOURCES_NAMED_IN_CMAKE = {
    "docs/examples/CMakeLists.txt": ["own_device.cpp", "own_listener.cpp", "replay_recording.cpp"],
    "tests/CMakeLists.txt": ["test_headers.cpp"],
    "tests/cuda_standins/runtime/CMakeLists.txt": ["calls.cpp"],
    "tests/gpu/CMakeLists.txt": ["gpu_program_run.cpp", "stand_in_cuda.cpp", "gpu_work.cu"],
    "tests/preload/CMakeLists.txt":
        ["direct.cpp", "taking.cpp", "meeting.cpp", "rows.cpp", "sanitized.cpp", "recorded.cpp",
         "reporting.cpp", "loading.cpp", "scene_library.cpp", "allocating_library.cpp",
         "wrapping_preload.cpp", "asking_preload.cpp", "entry_points.cpp", "runtime.cpp"],
    "tools/cuda_standins/CMakeLists.txt": ["driver_functions.cpp"],
}

# Pages that name functions and tests, and how many rules and decisions each has at least.
FIDELITY_PAGE = ["docs/reference/fidelity.md", "docs/reference/fidelity.md"]
NUMBERED_PAGES = {
    ("docs/reference/stream_model.md", "docs/reference/stream_model.md"): 65,
    ("docs/reference/ordered_memory.md", "docs/reference/ordered_memory.md"): 15,
}

MOST_LINES_OF_A_FUNCTION = 70

CODE_FOLDERS = ["allocator", "streams", "traces", "replay", "tools", "tests"]
LIBRARIES = ["allocator", "streams", "traces", "replay"]
CPP_ENDINGS = (".h", ".cpp", ".cu")

# ---- Rooms and arrows -------------------------------------------------------------------------


def folder_of(path):
    return path.rpartition("/")[0]


def is_below(path, folder):
    return path == folder or path.startswith(folder + "/")


def part_of(path):
    """The part of the house that a path is in, such as "replay" or "tools/cli", or None."""
    return next((part for part in LEVELS if is_below(path, part)), None)


def levels_of_rooms(levels):
    """From each room to its level, counted from the lowest."""
    return {room: level for rooms_by_level in levels.values()
            for level, rooms in enumerate(rooms_by_level) for room in rooms}


ROOM_LEVELS = levels_of_rooms(LEVELS)


def room_of(folder):
    """The room whose line counts for a folder, or None. A part's own room is for its own files."""
    while folder and folder not in ROOM_LEVELS:
        folder = folder_of(folder)
        if folder in LEVELS:
            return None
    return folder or None


def includes_in(text):
    """Pairs of a target and whether it is in quotes."""
    return [(target, form == '"') for form, target in
            re.findall(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', text, re.MULTILINE)]


def fault_of_angled(path, target):
    if target.partition("/")[0] in CODE_FOLDERS and "/" in target:
        return "our own headers are written in quotes"
    # Standard headers are single words: no ending, no folder.
    if is_below(path, "allocator") and re.search(r"[./]", target):
        return "allocator/ uses the standard library alone"
    return None


def fault_between_rooms(path, target):
    own, other = folder_of(path), folder_of(target)
    room, other_room = room_of(own), room_of(other)
    if own == other or room is None:
        return None
    if other_room is None or ROOM_LEVELS[other_room] >= ROOM_LEVELS[room]:
        return f"{own} may not know {other}, which is no lower room"
    return None


def fault_of_quoted(path, target):
    if "/" not in target or target.partition("/")[0] not in CODE_FOLDERS:
        return "includes are written from the root of the tree"
    part, other_part = part_of(path), part_of(target)
    if (path, target) in KNOWN_EXCEPTIONS:
        return None
    if part is not None and part == other_part:
        return fault_between_rooms(path, target)
    if is_below(path, "tests") or part is None:
        return None
    if not any(is_below(target, allowed) for allowed in ARROWS[part]):
        return f"{part}/ may not know {folder_of(target)}/"
    return None


def broken_arrows(files):
    broken = []
    for path, text in files.items():
        for target, quoted in includes_in(text):
            fault = fault_of_quoted(path, target) if quoted else fault_of_angled(path, target)
            if fault:
                broken.append(f"{path} includes {target}: {fault}")
    return broken


def files_without_room(files):
    return [f"{path} is in no room: give its folder a place in LEVELS of tests/layout/layout_test.py"
            for path in files
            if (not is_below(path, "tests") or is_below(path, "tests/support"))
            and room_of(folder_of(path)) is None]


def include_circles(files):
    """One circle of files, if includes make one."""
    graph = {path: [target for target, _ in includes_in(text) if target in files]
             for path, text in files.items()}
    done = set()
    for start in graph:
        walk = [start]
        while walk:
            at = walk[-1]
            following = next((target for target in graph[at] if target not in done), None)
            if following is None:
                done.add(walk.pop())
            elif following in walk:
                circle = walk[walk.index(following):] + [following]
                return ["includes go in a circle: " + " -> ".join(circle)]
            else:
                walk.append(following)
    return []


def circles_of_rooms(files):
    """One circle of rooms of one part, if files' includes make one, known exceptions aside."""
    rooms = {}
    for path, text in files.items():
        targets = [target for target, _ in includes_in(text)
                   if part_of(target) == part_of(path) and (path, target) not in KNOWN_EXCEPTIONS]
        rooms.setdefault(folder_of(path), set()).update(map(folder_of, targets))
    as_files = {room: "".join(f'#include "{other}"\n' for other in sorted(others - {room}))
                for room, others in rooms.items() if part_of(room)}
    return [sentence.replace("includes go", "rooms include each other")
            for sentence in include_circles(as_files)]


def is_value_header(path):
    return path.endswith(".h") and folder_of(path) in VALUE_ROOMS and path not in NO_VALUES


def broken_value_rooms(files):
    broken = []
    for path, text in files.items():
        if not is_below(path, "traces") and not is_value_header(path):
            continue
        reason = ("traces/ sees only the value headers of allocator/" if is_below(path, "traces")
                  else "a value header includes only value headers")
        broken += [f"{path} includes {target}: {reason}" for target, quoted in includes_in(text)
                   if quoted and is_below(target, "allocator") and not is_value_header(target)]
    return broken


def includes_out_of_place(files, only_there):
    return [f"{path} includes {target}: only {', '.join(only_there[target])} may"
            for path, text in files.items() if not is_below(path, "tests")
            for target, _ in includes_in(text)
            if target in only_there and not any(is_below(path, room) for room in only_there[target])]


def idle_exceptions(files, exceptions):
    return [f"{path} no longer includes {target}, so KNOWN_EXCEPTIONS need not allow it"
            for path, target in sorted(exceptions)
            if target not in [included for included, _ in includes_in(files.get(path, ""))]]


# ---- Names: tests, sources, types -------------------------------------------------------------


def tests_out_of_place(files, folders):
    """Tests of a library or of the program lie in the folder of the room that they mirror."""
    broken = []
    for path in files:
        mirrored = folder_of(path).removeprefix("tests/")
        if mirrored == "cli" or mirrored.startswith("cli/"):
            mirrored = "tools/" + mirrored
        if not path.startswith("tests/") or mirrored.partition("/")[0] not in LIBRARIES + ["tools"]:
            continue
        if mirrored not in folders:
            broken.append(f"{path} mirrors no room: there is no {mirrored}")
    return broken


def unknown_threads(files):
    return [f"{path} starts threads that no thread sanitizer sees" for path, text in files.items()
            if path not in SOURCES_WITH_THREADS and not is_below(path, THREADED_TESTS)
            and {"thread", "future"} & {target for target, _ in includes_in(text)}]


def shared_temporary_files(files):
    return [f"{path} has files where other tests have theirs: use {HOME_OF_TEST_FILES}"
            for path, text in files.items()
            if is_below(path, "tests") and path != HOME_OF_TEST_FILES
            and re.search(r"\bTempDir\(\)|temp_directory_path\(\)", text)]


def sources_named_in(text):
    code = re.sub(r"#.*", "", text)
    # Generated sources have a folder of their own in the build.
    return re.findall(r"(?:^|[^\w*}])(?<!generated/)(\w+\.(?:cpp|cu))\b", code, re.MULTILINE)


def sources_in_lists(build_files):
    return [f"{path} names {name}: libraries and programs are made of rooms"
            for path, text in build_files.items() for name in sources_named_in(text)
            if name not in SOURCES_NAMED_IN_CMAKE.get(path, [])]


def idle_source_names(build_files):
    return [f"{path} no longer names {name}, so SOURCES_NAMED_IN_CMAKE need not allow it"
            for path, names in SOURCES_NAMED_IN_CMAKE.items() for name in names
            if name not in build_files.get(path, "")]


def types_defined_in(text):
    """The types at the top level of named namespaces, in full; in unnamed ones they are the file's
    own. Specialisations share the name of their template."""
    opening = re.compile(r"namespace ([A-Za-z_0-9:]*) ?\{")
    defined = re.compile(r"(?:struct|class|enum class|union) (?:alignas\([^)]*\) )?(\w+)"
                         r"(?: final)?(?: : [^;]*)? \{.*")
    types, namespaces = [], []
    for line in text.splitlines():
        if match := opening.fullmatch(line):
            namespaces.append(match[1])
        elif line.startswith("}  // namespace") and namespaces:
            namespaces.pop()
        elif namespaces and namespaces[-1] and (match := defined.fullmatch(line)):
            types.append(f"{namespaces[-1]}::{match[1]}")
    return types


def types_with_two_homes(files):
    """Two types of one name are two meanings for the linker, which takes the first, silently."""
    homes, broken = {}, []
    for path, text in files.items():
        for name in types_defined_in(text):
            if homes.setdefault(name, path) != path:
                broken.append(f"{name} is in {homes[name]} and in {path}")
    return broken


# ---- Code: functions, hidden inputs, comments -------------------------------------------------

# Comments, raw strings, strings and characters, in the order in which they are tried.
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|\bR"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"'
                      r'|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


@functools.cache
def code_of(text):
    """The text without comments and the contents of strings; lines stay where they are."""
    def blank(match):
        quotes = '""' if match[0].lstrip("R").startswith('"') else ""
        return quotes + "\n" * match[0].count("\n")
    return NOT_CODE.sub(blank, text)


def scope_of(header):
    """The scope that a brace opens after the text `header`."""
    if re.search(r"\bnamespace\b|\bextern\s*\"\"\s*$", header):
        return "namespace"
    header = re.sub(r"\balignas\s*\([^)]*\)|\b__attribute__\s*\(\(.*?\)\)", "", header)
    if "(" in header:
        return "value" if header.rstrip().endswith("=") else "function"
    return "type" if re.search(r"\b(class|struct|union|enum)\b", header) else "value"


def functions_in(text):
    """Pairs of the first line and the count of lines of each function outside functions. Braces of
    initial values between the name and the body, as in `A() : b_{1} {`, belong to the function. Rows
    of a table in it, as in `rows[] = {`, are not counted."""
    functions, scopes = [], []
    header, begin, line = "", 1, 1
    for token in re.finditer(r"\n|[{};]|#(?:[^\n]*\\\n)*[^\n]*|[^\n{};#]+", code_of(text)):
        word = token[0]
        is_outside = not scopes or scopes[-1]["kind"] in ("namespace", "type")
        if functions and not header.strip() and is_outside and re.match(r"\s*,|{", word):
            begin, header = functions.pop()[0], "("
        if word == "{":
            kind = scope_of(header) if is_outside else "table" if header.rstrip().endswith("=") else "block"
            scopes.append({"kind": kind, "begin": begin if is_outside else line, "rows": 0})
            header = ""
        elif word == "}" and scopes:
            scope = scopes.pop()
            count = line - scope["begin"] + 1 - scope["rows"]
            if scope["kind"] == "function":
                functions.append((scope["begin"], count))
            elif scopes:
                scopes[-1]["rows"] += count if scope["kind"] == "table" else scope["rows"]
            header = ""
        elif word == ";":
            header = ""
        elif not word.startswith("#"):
            begin = begin if header.strip() else line
            header += word
        line += word.count("\n")
    return functions


def long_functions(files):
    """A comment for lint in front of a function allows its length."""
    allowed = "NOLINTNEXTLINE(readability-function-size)"
    return [f"{path}:{line} is a function of {count} lines: the most is {MOST_LINES_OF_A_FUNCTION}"
            for path, text in files.items() for line, count in functions_in(text)
            if count > MOST_LINES_OF_A_FUNCTION and allowed not in text.splitlines()[max(line - 2, 0)]]


def long_python_functions(files):
    broken = []
    for path, text in files.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                count = node.end_lineno - node.lineno + 1
                if count > MOST_LINES_OF_A_FUNCTION:
                    broken.append(f"{path}:{node.lineno} is a function of {count} lines: "
                                  f"the most is {MOST_LINES_OF_A_FUNCTION}")
    return broken


# A library gets time as an argument and randomness as a seed, and gives values back.
SAYS_WHY_IT_STOPS = "allocator/types/check.cpp"
HIDDEN = {
    r"\b(?:secure_)?getenv\b|\benviron\b": "reads the environment",
    r"\bstd::c(?:out|err|log|in)\b|\b(?:printf|fprintf|puts|fputs|putchar|perror)\(": "prints or asks",
    r"\b(?:std::)?(?:quick_)?exit\(|\b_exit\(": "ends the program",
    r"\bsystem_clock\b|\brandom_device\b|\bstd::rand\b|\bgettimeofday\b": "has a hidden input",
}
GLOBAL = re.compile(r"^(?:[ \t]*(?:static|thread_local)|inline)\b(?![^;{(=]*\b(?:const|constexpr)\b)"
                    r"[^;{(]*[;={]", re.MULTILINE)


def hidden_inputs(files):
    """Libraries neither print, exit nor read the environment, and have no globals."""
    broken = []
    for path, text in files.items():
        if part_of(path) not in LIBRARIES or path == SAYS_WHY_IT_STOPS:
            continue
        code = code_of(text)
        found = [(match.start(), reason) for pattern, reason in HIDDEN.items()
                 for match in re.finditer(pattern, code)]
        found += [(match.start(), "has a variable that all share") for match in GLOBAL.finditer(code)
                  if not re.match(r"\s*(?:static|inline) (?:class|struct|enum)\b", match[0])]
        broken += [f"{path}:{code.count(chr(10), 0, at) + 1} {reason}, which only tools/ may"
                   for at, reason in found]
    return broken


def comment_marks(path):
    """How comments of a file begin, or None where no one writes comments."""
    name = path.rpartition("/")[2]
    if path.endswith(CPP_ENDINGS + (".js", ".mjs", ".ts", ".css")):
        return r"//[/!]?|/\*\*?"
    if path.endswith((".py", ".sh", ".cmake", ".yml", ".toml")) or name in ("CMakeLists.txt", "run"):
        return r'#|"""' if path.endswith(".py") else "#"
    return None


def beginnings_of_comments(path, text):
    """Pairs of a line and the text of a comment's first line. Lines of nothing but comments that
    follow a comment continue it."""
    marks = comment_marks(path)
    if marks is None:
        return []
    alone = re.compile(rf"\s*(?:{marks})(.*)")
    behind = re.compile(rf".*\S  +(?:{marks.split('|')[0]}) (.*)")
    beginnings, in_comment = [], False
    for number, line in enumerate(text.splitlines(), 1):
        continues = in_comment and alone.match(line)
        match = alone.match(line) or behind.match(line)
        if match and not continues:
            beginnings.append((number, match[1].strip()))
        in_comment = match is not None
    return beginnings


def comments_without_subject(files, words):
    first = re.compile(rf"(?:{'|'.join(words)})\b")
    return [f"{path}:{line} begins a comment with {first.match(comment)[0]}: put the subject first"
            for path, text in files.items()
            for line, comment in beginnings_of_comments(path, text) if first.match(comment)]


# ---- Pages ------------------------------------------------------------------------------------


def missing_readmes(folders, readmes):
    return [f"{folder}/README.md is missing or empty" for folder in folders
            if not readmes.get(folder, "").strip()]


def test_names_in(files):
    return {f"{suite}.{name}" for path, text in files.items() if path.endswith(".cpp")
            for suite, name in re.findall(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", text)}


def missing_names(page, files, tests):
    """The functions and tests that a page names between backticks and the tree does not have."""
    missing = []
    for word in re.findall(r"`([^`\n]+)`", page):
        if match := re.fullmatch(r"([a-z_0-9]+/[a-z_0-9/]+\.(?:h|cpp)):(\w+)", word):
            if not re.search(rf"\b{match[2]}\b", files.get(match[1], "")):
                missing.append(f"{word}: no such function")
        elif re.fullmatch(r"[A-Z]\w*\.[a-z]\w+", word) and word not in tests:
            missing.append(f"{word}: no such test")
    return missing


def rows_of_rules(page):
    return [line for line in page.splitlines() if re.match(r"\| \d+\.\d+ \|", line)]


def unproven_rows(page):
    """Rows of the fidelity page without a function or without a test."""
    complete = r"\| \d+\.\d+ \| .+ \| `[^`|]+:\w+` \| .*`\w+\.\w+`.* \|"
    return [row for row in rows_of_rules(page) if not re.fullmatch(complete, row)]


def paragraphs_of(page):
    """The paragraphs of a page, each on one line; a heading is one of its own."""
    apart = re.sub(r"^(#.*)$", r"\n\1\n", page, flags=re.MULTILINE)
    return [" ".join(block.split("\n")) for block in re.split(r"\n\n+", apart.strip("\n"))]


def numbered_rules(page):
    return [paragraph for paragraph in paragraphs_of(page)
            if re.match(r"(\d+\.\d+|D\d+) ", paragraph)]


def unproven_rules(page):
    return [rule for rule in numbered_rules(page) if not re.fullmatch(r".* `\w+\.\w+`", rule)]


# ---- The tree ---------------------------------------------------------------------------------


@functools.cache
def texts_of_tree():
    """From the path of each file that git has or would take to its text; no large data."""
    names = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True)
    paths = names.stdout.split("\n") if names.returncode == 0 else paths_without_git()
    endings = CPP_ENDINGS + (".py", ".sh", ".cmake", ".md", ".js", ".mjs", ".ts", ".css", ".txt")
    wanted = [path for path in sorted(filter(None, paths))
              if path.endswith(endings) or path == ".ci/run"]
    return {path: (ROOT / path).read_text(errors="replace") for path in wanted
            if (ROOT / path).is_file()}


def paths_without_git():
    """For a source archive: all files outside of build folders."""
    skipped = re.compile(r"(^|/)(build[^/]*|node_modules|\.git)/")
    paths = (path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*"))
    return [path for path in paths if not skipped.search(path)]


def folders_of(paths):
    """The folders of files, and those above them."""
    return {parent.as_posix() for path in paths for parent in pathlib.PurePosixPath(path).parents}


def files_ending(*endings):
    return {path: text for path, text in texts_of_tree().items() if path.endswith(endings)}


def cpp_files():
    return {path: text for path, text in files_ending(*CPP_ENDINGS).items()
            if path.partition("/")[0] in CODE_FOLDERS}


def build_files():
    return files_ending("CMakeLists.txt", ".cmake")


def page_named(names):
    return next(text for name in names if (text := texts_of_tree().get(name)) is not None)


class TheTree(unittest.TestCase):
    maxDiff = None

    def assert_none(self, sentences):
        self.assertFalse(sentences, "\n" + "\n".join(sentences))

    def test_is_read_whole(self):
        files = cpp_files()
        self.assertGreater(len(files), 500)
        self.assertIn("allocator/types", [folder_of(target) for target, _ in
                                          includes_in(files["allocator/types/snapshot.h"])])
        self.assertIn("tools/dev/check.sh", texts_of_tree())
        self.assertGreater(len(build_files()), 8)

    def test_every_include_follows_the_arrows(self):
        self.assert_none(broken_arrows(cpp_files()))
        self.assert_none(idle_exceptions(cpp_files(), KNOWN_EXCEPTIONS))

    def test_includes_go_in_no_circle(self):
        self.assert_none(include_circles(cpp_files()))
        self.assert_none(circles_of_rooms(cpp_files()))

    def test_every_file_is_in_a_room(self):
        self.assert_none(files_without_room(cpp_files()))

    def test_every_room_exists(self):
        folders = folders_of(texts_of_tree())
        self.assert_none([f"{room} is a room without files" for room in ROOM_LEVELS
                          if room not in folders])

    def test_every_room_has_a_readme(self):
        readmes = {folder_of(path): text for path, text in files_ending("README.md").items()}
        # Single commands share the README of tools/cli/commands.
        rooms = [room for room in ROOM_LEVELS if not room.startswith("tools/cli/commands/")]
        self.assert_none(missing_readmes(CODE_FOLDERS + ["docs", "tools/dev"] + rooms, readmes))

    def test_traces_see_only_the_value_headers_of_the_allocator(self):
        self.assert_none(broken_value_rooms(cpp_files()))

    def test_headers_for_few_are_included_only_there(self):
        self.assert_none(includes_out_of_place(cpp_files(), ONLY_THERE))

    def test_tests_lie_in_the_mirrored_room(self):
        self.assert_none(tests_out_of_place(cpp_files(), {*ROOM_LEVELS, *map(folder_of, cpp_files())}))

    def test_threads_are_where_the_thread_sanitizer_looks(self):
        self.assert_none(unknown_threads(cpp_files()))
        self.assert_none([f"{path} is gone: SOURCES_WITH_THREADS need not name it"
                          for path in SOURCES_WITH_THREADS if path not in cpp_files()])

    def test_tests_that_run_at_once_have_files_of_their_own(self):
        self.assert_none(shared_temporary_files(cpp_files()))

    def test_no_source_is_named_in_cmake(self):
        self.assert_none(sources_in_lists(build_files()))
        self.assert_none(idle_source_names(build_files()))

    def test_every_type_has_one_home(self):
        files = cpp_files()
        self.assertGreater(sum(len(types_defined_in(text)) for text in files.values()), 200)
        self.assert_none(types_with_two_homes(files))

    def test_functions_are_short(self):
        files = cpp_files()
        self.assertGreater(sum(len(functions_in(text)) for text in files.values()), 5000)
        self.assert_none(long_functions(files))
        self.assert_none(long_python_functions(files_ending(".py")))

    def test_libraries_have_no_hidden_inputs(self):
        self.assert_none(hidden_inputs(cpp_files()))

    def test_comments_begin_with_their_subject(self):
        files = texts_of_tree()
        self.assertGreater(sum(len(beginnings_of_comments(path, text))
                               for path, text in files.items()), 3000)
        self.assert_none(comments_without_subject(files, NO_SUBJECTS))

    def test_fidelity_page_names_functions_and_tests_that_exist(self):
        page = page_named(FIDELITY_PAGE)
        self.assertGreater(len(rows_of_rules(page)), 90)
        self.assert_none(unproven_rows(page))
        self.assert_none(missing_names(page, cpp_files(), test_names_in(cpp_files())))

    def test_numbered_pages_prove_every_rule_and_decision(self):
        for names, least in NUMBERED_PAGES.items():
            page = page_named(names)
            self.assertGreaterEqual(len(numbered_rules(page)), least, names)
            self.assert_none(unproven_rules(page))
            self.assert_none(missing_names(page, cpp_files(), test_names_in(cpp_files())))


# ---- The rules can say no ---------------------------------------------------------------------


def including(target):
    return f'#include "{target}"\n'


class RuleTest(unittest.TestCase):
    def assert_sentences(self, sentences, *parts):
        """Each sentence holds its part, and there are no others."""
        self.assertEqual(len(sentences), len(parts), sentences)
        for sentence, part in zip(sentences, parts):
            self.assertIn(part, sentence)


class Arrows(RuleTest):
    def test_lower_rooms_and_folders_may_be_included(self):
        self.assertEqual(broken_arrows({
            "tools/cli/vramlab.cpp": including("tools/cli/kit/commands.h"),
            "tools/cli/commands/top/a.cpp": including("tools/cli/kit/a.h") + including("replay/metrics/a.h"),
            "tools/web/page/a.cpp": including("tools/cli/kit/a.h"),
            "replay/replayer/a.cpp": including("replay/recording/a.h") + including("replay/replayer/b.h"),
            "replay/metrics/a.h": including("streams/hazards/a.h") + "#include <nlohmann/json.hpp>\n",
            "streams/device/a.h": including("allocator/types/device.h"),
            "traces/model/a.h": including("allocator/types/bytes_and_ids.h") + "#include <vector>\n",
            "tests/random/a.cpp": including("tools/cli/kit/a.h") + including("tests/support/kit/b.h"),
        }), [])

    def test_a_wrong_arrow_between_folders_is_found(self):
        self.assert_sentences(
            broken_arrows({"allocator/blocks/block.h": including("streams/device/a.h"),
                           "streams/device/a.h": including("traces/model/a.h"),
                           "traces/model/a.h": including("streams/device/a.h"),
                           "traces/model/b.h": including("allocator/blocks/block.h"),
                           "replay/metrics/a.h": including("tools/cli/kit/a.h"),
                           "tools/preload/shim/a.h": including("tools/cli/kit/a.h"),
                           "tools/cli/kit/a.h": including("tests/support/kit/a.h")}),
            "allocator/ may not know streams/device/", "streams/ may not know traces/model/",
            "traces/ may not know streams/", "traces/ may not know allocator/blocks/",
            "replay/ may not know tools/cli/kit/", "tools/preload/ may not know tools/cli/kit/",
            "tools/cli/ may not know tests/")

    def test_a_wrong_arrow_between_rooms_is_found(self):
        self.assert_sentences(
            broken_arrows({"allocator/options/a.h": including("allocator/policy/a.h"),
                           "allocator/pinned/a.h": including("allocator/blocks/a.h"),
                           "replay/metrics/a.h": including("replay/nowhere/a.h"),
                           "tools/cli/commands/top/a.cpp": including("tools/cli/commands/diff/a.h"),
                           "tools/cli/commands/pack/a.cpp": including("tools/cli/commands/advise/a.h"),
                           "tests/support/kit/a.h": including("tests/support/twin/a.h")}),
            "allocator/options may not know allocator/policy",
            "allocator/pinned may not know allocator/blocks",
            "replay/metrics may not know replay/nowhere",
            "commands/top may not know tools/cli/commands/diff",
            "commands/pack may not know tools/cli/commands/advise",
            "tests/support/kit may not know tests/support/twin")

    def test_headers_are_quoted_and_written_from_the_root(self):
        self.assert_sentences(
            broken_arrows({"allocator/blocks/a.cpp": including("block.h"),
                           "streams/device/a.cpp": including("../allocator/types/ids.h"),
                           "streams/device/b.cpp": "#include <allocator/types/bytes_and_ids.h>\n",
                           "allocator/blocks/b.h": "#include <nlohmann/json.hpp>\n#include <vector>\n"}),
            "written from the root", "written from the root", "written in quotes",
            "the standard library alone")

    def test_an_exception_that_is_not_needed_is_found(self):
        files = {"a/a.h": including("b/b.h")}
        self.assert_sentences(idle_exceptions(files, {("a/a.h", "b/b.h"), ("a/a.h", "c/c.h")}),
                              "a/a.h no longer includes c/c.h")

    def test_a_circle_of_files_is_shown(self):
        self.assertEqual(
            include_circles({"s/start.h": including("s/a.h"), "s/a.h": including("s/b.h"),
                             "s/b.h": including("s/a.h"), "s/c.h": including("s/b.h")}),
            ["includes go in a circle: s/a.h -> s/b.h -> s/a.h"])
        self.assertEqual(include_circles({"s/a.h": including("s/c.h"), "s/b.h": including("s/c.h"),
                                          "s/c.h": ""}), [])

    def test_a_circle_of_rooms_is_shown(self):
        self.assertEqual(
            circles_of_rooms({"streams/x/a.h": including("streams/y/a.h"), "streams/y/a.h": "",
                              "streams/y/b.h": including("streams/x/b.h"), "streams/x/b.h": ""}),
            ["rooms include each other in a circle: streams/x -> streams/y -> streams/x"])

    def test_a_file_without_a_room_is_found(self):
        self.assert_sentences(
            files_without_room({"replay/helper.h": "", "tools/misc/helper.h": "", "tools/helper.h": "",
                                "tests/support/helper.h": "", "tests/random/a.cpp": "",
                                "replay/metrics/deeper/a.h": "", "allocator/a.h": "",
                                "allocator/other/a.h": ""}),
            "replay/helper.h", "tools/misc/helper.h", "tools/helper.h", "tests/support/helper.h",
            "allocator/other/a.h")

    def test_includes_are_found_in_text(self):
        self.assertEqual(includes_in('// A tool.\n#include "tools/a.h"\n  #  include <vector>  // sizes\n'
                                     '// #include "tools/b.h"\nint included;'),
                         [("tools/a.h", True), ("vector", False)])

    def test_value_headers_see_no_behaviour(self):
        self.assert_sentences(
            broken_value_rooms({"traces/json/a.h": including("allocator/types/device.h"),
                                "traces/json/b.h": including("allocator/blocks/block.h"),
                                "traces/json/c.h": including("allocator/types/bytes_and_ids.h"),
                                "allocator/types/b.h": including("allocator/types/device.h"),
                                "replay/replayer/a.h": including("allocator/types/device.h")}),
            "traces/json/a.h includes allocator/types/device.h", "traces/json/b.h",
            "a value header includes only value headers")

    def test_a_header_that_few_may_include_is_found_elsewhere(self):
        table = {"traces/formats/open_trace.h": ["replay/recording", "tools/cli/commands/record/a.cpp"]}
        text = including("traces/formats/open_trace.h")
        self.assert_sentences(
            includes_out_of_place({"replay/recording/a.cpp": text, "replay/compare/a.cpp": text,
                                   "tools/cli/commands/record/a.cpp": text, "tests/a.cpp": text}, table),
            "replay/compare/a.cpp includes traces/formats/open_trace.h: only replay/recording")


class Names(RuleTest):
    def test_a_test_that_mirrors_no_room_is_found(self):
        self.assert_sentences(
            tests_out_of_place({"tests/replay/replayer/a_test.cpp": "", "tests/cli/commands/a.cpp": "",
                                "tests/random/a_test.cpp": "", "tests/replay/old/a_test.cpp": "",
                                "tests/cli/old/a.cpp": "", "tests/replay/a_test.cpp": ""},
                               {"replay/replayer", "tools/cli/commands"}),
            "there is no replay/old", "there is no tools/cli/old", "there is no replay")

    def test_threads_elsewhere_are_found(self):
        self.assert_sentences(
            unknown_threads({"replay/a.cpp": "#include <thread>\n", "tests/threads/a.cpp": "#include <thread>\n",
                             "tests/random/a.cpp": "#include <future>\n",
                             "tools/cli/kit/what_if_runs.cpp": "#include <thread>\n"}),
            "replay/a.cpp", "tests/random/a.cpp")

    def test_a_shared_temporary_file_is_found(self):
        self.assert_sentences(
            shared_temporary_files({"tests/a_test.cpp": "auto path = TempDir() + name;",
                                    "tests/b_test.cpp": "auto path = own_folder() + name;",
                                    "tools/scratch.cpp": "temp_directory_path()"}),
            "tests/a_test.cpp")

    def test_a_source_that_cmake_names_is_found(self):
        self.assert_sentences(
            sources_in_lists({"CMakeLists.txt": "add_library(a ${sources} replay/a.cpp) # not b.cpp\n"
                                                'file(GLOB c "${PROJECT_SOURCE_DIR}/c/*.cpp")\n'
                                                "file(GLOB d d/*_test.cpp)\n"
                                            'set(e "${PROJECT_BINARY_DIR}/generated/e.cpp")\n',
                              "tests/preload/CMakeLists.txt": "direct.cpp other.cpp"}),
            "CMakeLists.txt names a.cpp", "tests/preload/CMakeLists.txt names other.cpp")
        self.assertIn("tests/preload/CMakeLists.txt no longer names direct.cpp, so "
                      "SOURCES_NAMED_IN_CMAKE need not allow it", idle_source_names({}))

    def test_types_are_found_in_text(self):
        text = ("namespace vramlab::replay {\nstruct Forward;\nstruct A {\n  struct Inner {\n};\n"
                "namespace {\nstruct Own {\n}  // namespace\nclass B : public A {\n"
                "enum class C : std::uint8_t { one };\nstruct A::Nested {\n"
                "}  // namespace vramlab::replay\n")
        self.assertEqual(types_defined_in(text),
                         ["vramlab::replay::A", "vramlab::replay::B", "vramlab::replay::C"])

    def test_two_types_of_one_name_are_found(self):
        def home(*names):
            return "namespace x {\n" + "".join(f"struct {name} {{\n" for name in names)
        self.assertEqual(types_with_two_homes({"a.h": home("A", "B"), "b.h": home("C", "B")}),
                         ["x::B is in a.h and in b.h"])


class Functions(RuleTest):
    def test_functions_are_counted_from_name_to_brace(self):
        text = ("namespace a {\n"
                "int one(int b) { return b; }\n"            # Line 2.
                "struct S {\n"
                "  S() : b_{1}, c_{2} {\n"                  # Line 4.
                "    go();\n"
                "  }\n"
                "  int two() const {\n"                     # Line 7.
                "    if (b_) {\n      return 1;\n    }\n"
                "    return '{';  // }\n"
                "  }\n"
                "  int b_ = 0;\n};\n"
                "constexpr int numbers[] = {1, 2,\n 3};\n"
                "}\n")
        self.assertEqual(functions_in(text), [(2, 1), (4, 3), (7, 6)])

    def test_a_long_function_is_found(self):
        def of_lines(count):
            return "int f() {\n" + "  go();\n" * (count - 2) + "}\n"
        self.assert_sentences(long_functions({"a.cpp": "\n" + of_lines(70), "b.cpp": "\n" + of_lines(71)}),
                              "b.cpp:2 is a function of 71 lines")

    def test_rows_of_a_table_do_not_count(self):
        text = "int f() {\n  static const int rows[] = {\n" + "      {1, 2},\n" * 80 + "  };\n  return 1;\n}\n"
        self.assertEqual(functions_in(text), [(1, 3)])

    def test_a_long_function_after_other_text_is_found(self):
        text = ('const char* text = R"(\n{ " \n)";\n#define A {\nextern "C" {\nvoid f(struct A* a) {\n'
                + "  go();\n" * 80 + "}\n}\n")
        self.assert_sentences(long_functions({"a.cpp": text}), "a.cpp:6 is a function of 82 lines")

    def test_a_long_python_function_is_found(self):
        text = "class A:\n  def f():\n" + "    pass\n" * 70
        self.assert_sentences(long_python_functions({"a.py": text}), "a.py:2 is a function of 71 lines")


class HiddenInputs(RuleTest):
    def test_a_library_that_prints_exits_or_asks_is_found(self):
        self.assert_sentences(
            hidden_inputs({"replay/metrics/a.cpp": '\nstd::cout << "std::cerr";\n// getenv\n',
                           "streams/device/a.cpp": 'auto a = std::getenv("A");',
                           "traces/io/a.cpp": "std::exit(1);",
                           "tools/cli/kit/a.cpp": "std::exit(1);"}),
            "replay/metrics/a.cpp:2 prints", "streams/device/a.cpp:1 reads the environment",
            "traces/io/a.cpp:1 ends the program")

    def test_a_global_is_found(self):
        self.assert_sentences(
            hidden_inputs({"traces/io/a.cpp": "static int count = 0;\nstatic const int most = 3;\n"
                                              "static int f(int a);\ninline constexpr int b = 2;\n",
                           "traces/io/b.cpp": "void f() {\n  static std::map<int, int> seen;\n}\n"}),
            "traces/io/a.cpp:1 has a variable", "traces/io/b.cpp:2 has a variable")


class Comments(RuleTest):
    def found(self, path, text):
        return comments_without_subject({path: text}, NO_SUBJECTS)

    def test_a_bad_comment_is_found(self):
        self.assert_sentences(
            self.found("tests/shim/a.cpp", "// What a stream is.\nint a;\n  /// Those: here.\nint b;  // Of a.\n"),
            "a.cpp:1 begins a comment with What", "a.cpp:3 begins a comment with Those",
            "a.cpp:4 begins a comment with Of")

    def test_other_languages_are_read(self):
        for path in ("a/b.py", "a/b.sh", "a/CMakeLists.txt", ".ci/run"):
            self.assert_sentences(self.found(path, "#!/bin/sh\n\n# Nothing is here.\n"), ":3 begins")
        self.assert_sentences(self.found("a/b.py", 'def f():\n    """What it is."""\n'), "a/b.py:2 begins")
        self.assert_sentences(self.found("a/b.ts", "/** Whose it is. */\n"), "a/b.ts:1 begins")

    def test_lines_that_continue_a_comment_and_longer_words_pass(self):
        self.assertEqual(self.found("a/b.cpp", "// The end\n// Of it.\nint b;  // Often.\n"
                                               '// Whatever.\nauto url = "http://What";\n'), [])


class Pages(RuleTest):
    def test_a_missing_readme_is_found(self):
        self.assertEqual(missing_readmes(["a", "b", "c"], {"a": "# a\n", "b": "\n"}),
                         ["b/README.md is missing or empty", "c/README.md is missing or empty"])

    def test_functions_files_and_tests_that_do_not_exist_are_found(self):
        files = {"a/a.h": "int round_up();\n", "a/a_test.cpp": "TEST_F(RoundUp,\n  goes_up) {\n"}
        page = ("`a/a.h:round_up` `a/a.h:round` `a/b.h:round_up` `RoundUp.goes_up` `RoundUp.goes_down` "
                "`a.b` text")
        self.assertEqual(missing_names(page, files, test_names_in(files)),
                         ["a/a.h:round: no such function", "a/b.h:round_up: no such function",
                          "RoundUp.goes_down: no such test"])

    def test_a_row_without_proof_is_found(self):
        good = "| 1.1 | A rule | `a/a.h:b` | `A.b` |"
        self.assertEqual(unproven_rows(f"{good}\n| 1.2 | A rule | `a/a.h:b` | |\n| 3 | Other |\n"),
                         ["| 1.2 | A rule | `a/a.h:b` | |"])

    def test_paragraphs_end_at_empty_lines_and_headings(self):
        self.assertEqual(paragraphs_of("## Rules\n1.1 A rule\nof two lines.\n\n1.2 Another.\n## End\n"),
                         ["## Rules", "1.1 A rule of two lines.", "1.2 Another.", "## End"])

    def test_a_rule_without_proof_is_found(self):
        self.assertEqual(unproven_rules("1.1 A rule. `A.b`\n\n1.2 Another.\n\nD3 Decided. `A.c`\n\nText.\n"),
                         ["1.2 Another."])


if __name__ == "__main__":
    unittest.main()
