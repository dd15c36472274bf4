#!/usr/bin/env python3
"""symbols.py LIBRARY [NM]: a shared library of weft exports what public headers declare, and
nothing else of its own."""
import pathlib
import re
import subprocess
import sys

library, nm = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "nm"
headers = pathlib.Path(__file__).resolve().parents[2] / "include/weft"
code = "\n".join(re.sub(r"//.*", "", header.read_text()) for header in headers.glob("*.hpp"))
declared = set(re.findall(r"[A-Za-z_]\w*", code))

# What the compiler knows of a type: "typeinfo for weft::Error".
OF_TYPES = r"(?:typeinfo name|typeinfo|vtable|VTT|guard variable) for "


def name_of(symbol):
    """A symbol's own name, without what it returns and takes: "weft::View::at"."""
    name = re.sub(r" const$", "", re.sub(r"\[abi:\w+\]", "", re.sub(OF_TYPES, "", symbol)))
    name = re.sub(r"operator(?:[^\w\s(]+|\(\))", "operator", name)
    shorter = None
    while shorter != name:  # templates' arguments, from the inside out
        shorter, name = name, re.sub(r"<[^<>]*>", "", name)
    return re.sub(r"\(.*", "", name).split(" ")[-1]


# The standard library's, as they are mangled: its templates are in every library.
OF_STD = r"_Z(?:T[ISTV]|GV)?Z?(?:St|NK?S[taboids]|NK?9__gnu_cxx)"


def public(symbol, mangled):
    """weft's own names are in its headers, but for mpi's."""
    if re.match(OF_STD, mangled) or (re.match(OF_TYPES, symbol) and "weft" not in symbol):
        return True
    parts = name_of(symbol).split("::")
    words = [part.lstrip("~") for part in parts[1:] if part != "operator"]
    return parts[0] == "weft" and "mpi" not in parts[:-1] and all(word in declared for word in words)


def symbols_of(*options):
    """All that the library defines, in the order of its table."""
    lines = subprocess.run([nm, "-Dp", *options, "--defined-only", library], check=True, stdout=subprocess.PIPE,
                           text=True).stdout.splitlines()
    return [line.split(" ", 2)[2].strip() for line in lines]


symbols, mangled = symbols_of("-C"), symbols_of()
# The C interface: as declared in weft.h, each with a version.
header = re.sub(r"/\*.*?\*/", "", (headers / "weft.h").read_text(), flags=re.S)
in_c = set(re.findall(r"\b(weft_\w+)\(", header))
exported_in_c = {symbol.split("@")[0] for symbol in symbols if re.fullmatch(r"weft_\w+@@WEFT_[\d.]+", symbol)}
needed = {"typeinfo for weft::Error", "typeinfo for weft::Declined", "weft::AnyPlan::forward(void const*, void*)"}
wrong = [
    symbol for symbol, as_mangled in zip(symbols, mangled)
    if symbol.split("@")[0] not in in_c and not re.fullmatch(r"WEFT_[\d.]+", symbol.split("@")[0]) and
    not public(symbol, as_mangled)
]
missing = sorted(needed - set(symbols)) + sorted(in_c - exported_in_c)
own = sum(name_of(symbol).startswith("weft::") for symbol in symbols)
for symbol in wrong:
    print("exported, but in no public header:", symbol)
for symbol in missing:
    print("not exported:", symbol)
print(f"{len(symbols)} symbols, {own} of weft, {len(exported_in_c)} of its C interface")
sys.exit(1 if wrong or missing or own < 100 else 0)
