"""Sphinx's settings for the API reference; docs/api/build makes its pages."""

import os

project = "weft"
extensions = ["breathe", "sphinx.ext.autodoc", "sphinx_design"]
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "description": "Distributed-memory FFTs on MPI"}
toc_object_entries = False  # Sphinx fails on deduction guides with them
suppress_warnings = ["duplicate_declaration.cpp", "duplicate_declaration.c"]  # a namespace is on every header's page
html_show_copyright = False
html_show_sourcelink = False

breathe_projects = {"weft": os.environ["WEFT_DOXYGEN_XML"]}
breathe_default_project = "weft"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_default_members = ("members", "undoc-members")
cpp_id_attributes = ["gnu::visibility"]

autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
