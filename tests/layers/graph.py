#!/usr/bin/env python3
"""graph.py SRC [--units] [--allow FILE]: prints who includes whom, as lines `a -> b`, and fails on a cycle.

The nodes are folders (`data`, `data/import`); with --units also files, where foo.h, foo.cc, its
kernels foo-inl.h and its keys foo_fields.h are one unit (`data/split`). A cycle is a set of nodes that all reach each other.

FILE names nodes that are in a cycle today, one a line, `#` starts a comment. It can only shrink: a
node that has left its cycle must leave the list, too.
"""

import argparse
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def unit_of(path):
    return re.sub(r"(-inl|_fields)?\.(h|cc)$", "", path)


def folder_of(path):
    return path.rpartition("/")[0]


def read_includes(src):
    """{file: files of src that it includes}"""
    files = {f.relative_to(src).as_posix(): f for f in src.rglob("*") if f.suffix in (".h", ".cc")}
    return {
        name: {other for other in INCLUDE.findall(file.read_text()) if other in files}
        for name, file in files.items()
    }


def graph_of(includes, node_of):
    """{node: nodes that it includes}, itself left out"""
    graph = {}
    for file, others in includes.items():
        graph.setdefault(node_of(file), set()).update(node_of(o) for o in others)
    return {node: others - {node} for node, others in graph.items()}


def reachable(graph, start):
    seen, open_nodes = set(), [start]
    while open_nodes:
        for other in graph[open_nodes.pop()] - seen:
            seen.add(other)
            open_nodes.append(other)
    return seen


def cycles(graph):
    """Sets of nodes that reach each other, each as a sorted list."""
    reach = {node: reachable(graph, node) for node in graph}
    found = {
        tuple(sorted(o for o in others if node in reach[o]))
        for node, others in reach.items()
        if node in others
    }
    return sorted(list(c) for c in found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("src", type=pathlib.Path)
    parser.add_argument("--units", action="store_true")
    parser.add_argument("--allow", type=pathlib.Path)
    options = parser.parse_args()

    allowed = set()
    if options.allow:
        lines = (line.partition("#")[0].strip() for line in options.allow.read_text().splitlines())
        allowed = {line for line in lines if line}

    includes = read_includes(options.src)
    graphs = {"folder": graph_of(includes, folder_of), "unit": graph_of(includes, unit_of)}
    for node, others in sorted(graphs["unit" if options.units else "folder"].items()):
        for other in sorted(others):
            print(f"{node} -> {other}")

    wrong, in_cycles = [], set()
    for kind, graph in graphs.items():
        for cycle in cycles(graph):
            in_cycles.update(cycle)
            if not allowed.issuperset(cycle):
                edges = [f"{a} -> {b}" for a in cycle for b in sorted(graph[a]) if b in cycle]
                wrong.append(f"a cycle of {len(cycle)} {kind}s: {', '.join(edges)}")
    for node in sorted(allowed - in_cycles):
        wrong.append(f"{node} is in no cycle any more: take it out of {options.allow}")
    sys.stdout.flush()
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
