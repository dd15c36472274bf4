"""The types that the package states are those of what it has."""

import ast
import inspect
import pathlib
import re
import unittest

import weft
from weft import _library

_plain = {"__eq__", "__hash__", "__init__"}  # that stubs name where the class has its own


def parameters(function):
    """Names of the parameters that compiled code has; each call of it is described in its signature."""
    text = re.sub(r"\\\d+", "None", function.__nb_signature__[0][0])  # defaults are numbered
    stated = ast.parse(text.split("def ", 1)[0] + "def " + text.split("def ", 1)[1] + ": ...").body[0].args
    return [a.arg for a in stated.posonlyargs + stated.args if a.arg != "self"], len(stated.defaults)


class Stubs(unittest.TestCase):
    stub = ast.parse((pathlib.Path(weft.__file__).parent / "_library.pyi").read_text())

    def test_names(self):
        stated = {node.name for node in self.stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        stated = {name for name in stated if not name.startswith("_")}
        there = {
            name
            for name, value in vars(_library).items()
            if not name.startswith("_") and getattr(value, "__module__", "").startswith("weft.")
        }
        self.assertEqual(stated, there)

    def test_classes(self):
        for node in self.stub.body:
            if not isinstance(node, ast.ClassDef) or issubclass(getattr(_library, node.name), Exception):
                continue
            with self.subTest(node.name):
                kind = getattr(_library, node.name)
                stated = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
                there = {name for name in dir(kind) if not name.startswith("_")}
                self.assertEqual({name for name in stated if not name.startswith("_")}, there)
                for name, each in stated.items():
                    value = inspect.getattr_static(kind, name)
                    marks = {getattr(mark, "id", "") for mark in each.decorator_list}
                    self.assertEqual("property" in marks, isinstance(value, property), name)
                    if name not in _plain and "property" not in marks:
                        self.signature(getattr(kind, name), each)

    def test_functions(self):
        for node in self.stub.body:
            if isinstance(node, ast.FunctionDef):
                with self.subTest(node.name):
                    self.signature(getattr(_library, node.name), node)

    def signature(self, function, stated):
        names = [a.arg for a in stated.args.args if a.arg != "self"]
        if hasattr(function, "__nb_signature__"):
            self.assertEqual((names, len(stated.args.defaults)), parameters(function), stated.name)
        else:
            self.assertEqual(names, list(inspect.signature(function).parameters), stated.name)

    def test_annotated(self):
        """All that is written in Python states its types where it stands."""
        self.assertEqual(sorted(weft.__all__), weft.__all__)
        for name in weft.__all__:
            value = getattr(weft, name)
            members = {name: value} if not inspect.isclass(value) else vars(value)
            for inner, each in members.items():
                each = each.fget if isinstance(each, property) else each
                if not inspect.isfunction(each) or getattr(each, "__module__", "") == "weft._library":
                    continue
                stated = inspect.signature(each)
                missing = [p for p, a in stated.parameters.items() if a.annotation is a.empty and p != "self"]
                self.assertEqual(missing, [], f"{name}.{inner}")
                if inner != "__init__":
                    self.assertIsNot(stated.return_annotation, stated.empty, f"{name}.{inner}")
