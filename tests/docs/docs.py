#!/usr/bin/env python3
"""What the pages say to type is compiled or run.

  docs.py cpp OUT FILE...          writes OUT/fragments.cpp, a function for every C++ block, and the whole programs
                                   OUT/program_N.cpp, OUT/in_c_N.c, OUT/in_fortran_N.f90 and OUT/in_python_N.py
  docs.py cmake OUT FILE...        writes OUT/CMakeLists.txt with every CMake block
  docs.py run WEFT FILE...         runs every line of every sh block, on small shapes, in a folder of its own
  docs.py pages . FILE...          prints those that have something to run, with ; between them

An invisible comment on the line before a block says what the block alone does not:

  <!-- prologue: NAME -->                 what stands before this fragment in prologues.cpp; without a comment "none"
  <!-- prologue: NAME, compile only -->   too large to be run as well
  <!-- not run: WHY -->                   an sh block that is no business of a test
"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import program  # noqa: E402, F401  (what it sets in the environment makes MPI start sooner)


def blocks(files, language):
    """(file, line of the first code line, mark, lines) of every block of a language."""
    for file in files:
        lines = Path(file).read_text().splitlines()
        fence = None
        for i, line in enumerate(lines):
            if not line.startswith("```"):
                continue
            if fence is None:
                fence = i
                continue
            if lines[fence][3:] == language:
                mark = re.fullmatch(r"<!-- (.*) -->", lines[fence - 1]) if fence else None
                yield file, fence + 2, mark.group(1) if mark else "", lines[fence + 1:i]
            fence = None
        if fence is not None:
            sys.exit(f"{file}:{fence + 1}: a block that does not end")


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def cpp(out, files):
    out.mkdir(parents=True, exist_ok=True)
    parts = re.split(r"^//// (.*)\n", (HERE / "prologues.cpp").read_text(), flags=re.M)
    prologues = dict(zip(parts[1::2], parts[2::2]))
    source, calls, programs, used = parts[0], "", 0, {"none"}
    for file, line, mark, code in blocks(files, "cpp"):
        name, place, text = Path(file).name, f'#line {line} "{file}"\n', "\n".join(code) + "\n"
        if "int main(" in text:
            write(out / f"program_{programs}.cpp", place + text)
            programs += 1
            continue
        known = re.fullmatch(r"prologue: (\w+)(, compile only)?", mark or "prologue: none")
        if not known or known.group(1) not in prologues:
            sys.exit(f"{file}:{line - 2}: \"{mark}\" is no mark of a C++ block; prologues are {', '.join(prologues)}")
        used.add(known.group(1))
        function = f"{re.sub(r'[^a-z]', '_', name)}_{line}"
        body = prologues[known.group(1)] + place + text
        source += f"\nvoid {function}(MPI_Comm comm, int rank, int ranks) {{\n{body}}}\n"
        if not known.group(2):
            calls += f'    run("{name}:{line}", {function});\n'
    if used != set(prologues):
        sys.exit(f"prologues that no page uses: {', '.join(set(prologues) - used)}")
    write(out / "fragments.cpp", source + (HERE / "main.cpp").read_text().replace("    // calls\n", calls))
    for stale in out.glob("program_*.cpp"):
        if int(stale.stem[8:]) >= programs:
            stale.unlink()
    for language, suffix, comment, main in (("c", "c", "//", "int main("), ("fortran", "f90", "!", "program "),
                                            ("python", "py", "#", "import weft")):
        whole = list(blocks(files, language))
        for number, (file, line, _, code) in enumerate(whole):
            if not any(main in text for text in code):
                sys.exit(f"{file}:{line}: a block of {language} is a whole program")
            place = f'#line {line} "{file}"\n' if suffix == "c" else f"{comment} {file}, from line {line} on\n"
            write(out / f"in_{language}_{number}.{suffix}", place + "\n".join(code) + "\n")
        for stale in out.glob(f"in_{language}_*.{suffix}"):
            if int(stale.stem.split("_")[-1]) >= len(whole):
                stale.unlink()


def cmake(out, files):
    out.mkdir(parents=True, exist_ok=True)
    text = "cmake_minimum_required(VERSION 3.21)\nproject(pages LANGUAGES CXX)\n"
    write(out / "program.cpp", "int main() {}\n")
    for number, (_, _, _, code) in enumerate(blocks(files, "cmake")):
        program = f"program_{number}"
        text += f"add_executable({program} program.cpp)\n" + re.sub(r"\bprogram\b", program, "\n".join(code)) + "\n"
        text += f"if(NOT TARGET {program})\n  message(FATAL_ERROR \"no program\")\nendif()\n"
    write(out / "CMakeLists.txt", text)


# ---- sh blocks ----

# By 4, so that spheres and boxes stay what they are of the grid.
DIVIDED = ("--shape", "--sphere", "--kept", "--kept-from")


def quarter(option, value):
    least = 0 if option == "--kept-from" else 1
    if option == "--sphere":
        return f"{float(value) / 4:g}"
    return re.sub("[0-9]+", lambda n: str(max(int(n.group()) // 4, least)), value)


def smaller(words):
    """The same command on a quarter of the extents, few ranks, and in little time."""
    words = list(words)
    for i, word in enumerate(words[:-1]):
        if word in DIVIDED:
            words[i + 1] = quarter(word, words[i + 1])
        elif word == "--ranks":
            words[i + 1] = str(min(int(words[i + 1]), 4))
        elif word == "--seconds":
            words[i + 1] = "0.2"
    if "bench" in words:
        words += ["--repeat", "2", "--effort", "estimate"]
        if "--shape" not in words:
            words += ["--shape", "16x16x16"]
        if not {"--strategy", "--kernel"} & set(words):
            words += ["--strategy", "isend,alltoallv,direct"]
    if "measure" in words:
        words += ["--seconds", "1"]
    if "compare" in words:
        words += ["--repeat", "2"]
    return words


def built(program):
    """Whether it is a program: a script in its place says why it is none."""
    return program.exists() and program.read_bytes()[:2] != b"#!"


def array(path):
    """in.npy of the pages: 8 x 8 x 8 doubles."""
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (8, 8, 8), }"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    values = struct.pack("<512d", *range(512))
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values)


def pages(_, files):
    print(";".join(dict.fromkeys(file for file, _, mark, _ in blocks(files, "sh") if not mark.startswith("not run: "))),
          end="")


def run(weft, files):
    environment = dict(os.environ, WEFT_WISDOM="wisdom.json", OMP_NUM_THREADS="1")
    ran = wrong = 0
    for file, first, mark, code in blocks(files, "sh"):
        if mark.startswith("not run: "):
            continue
        if mark:
            sys.exit(f"{file}:{first - 2}: \"{mark}\" is no mark of an sh block")
        with tempfile.TemporaryDirectory() as folder:
            array(Path(folder) / "in.npy")
            for number, line in enumerate(code, first):
                words = re.sub(r"(^|\s)#.*", "", line).split()
                if not words:
                    continue
                where = f"{file}:{number}"
                if Path(words[0]).name != "weft":
                    sys.exit(f"{where}: \"{line}\" is no command of the program weft; if it cannot be run, "
                             "say so before the block: <!-- not run: WHY -->")
                words = [str(weft)] + smaller(words[1:])
                if "compare" in words and not built(weft.parent / "weft-compare"):
                    print(f"{where}: not built: weft compare")
                    continue
                start = time.time()
                done = subprocess.run(words, cwd=folder, env=environment, text=True, timeout=100,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                ran += 1
                print(f"{where}: {time.time() - start:.1f} s")
                if done.returncode != 0:
                    wrong += 1
                    print(f"{where}: {line}\nrun as: {' '.join(words)}")
                    print(f"returned {done.returncode}:\n{done.stdout}")
    print(f"{ran} commands, {wrong} of them wrong")
    if wrong or not ran:
        sys.exit(1)


if __name__ == "__main__":
    task, place, files = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    {"cpp": cpp, "cmake": cmake, "run": run, "pages": pages}[task](place.resolve(), files)
