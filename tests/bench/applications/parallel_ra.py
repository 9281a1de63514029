"""Inputs for the programs of parallel-RA: a graph for TC, lambda terms for freevars and kcfa. The programs read relations from
files: rows of 64-bit numbers, the last of them the number of the row's fact, and a file NAME.size with rows and columns."""

import os
import re
import struct

from in_turn import Failed


def write_relation(file, rows, columns):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"".join(struct.pack(f"<{columns}Q", *row) for row in rows))
    file.with_name(file.name + ".size").write_text(f"{len(rows)}\n{columns}")


def write_all(program, relations, folder):
    """Writes each relation that the program names: with its rows, or empty. Columns are in the names: App_4_33 has 4 and the
    fact."""
    named = sorted({found.decode() for found in re.findall(rb"(?:\.\./data|/var/tmp)/g\d+/[\w-]+", program.read_bytes())})
    missing = set(relations) - {os.path.basename(path) for path in named}
    if missing:
        raise Failed(f"{program} does not read {', '.join(sorted(missing))}: it is of another version of parallel-RA")
    for path in named:
        name = os.path.basename(path)
        write_relation((folder / path).resolve(), relations.get(name, []), int(re.search(r"_(\d+)_", name)[1]) + 1)


# ---- TC --------------------------------------------------------------------------------------------------------------------

def grid(width, length):
    """Edges to the right and down. The longest of the shortest paths, which are the iterations, has width + length - 2 edges."""
    edges = [(y * width + x, y * width + x + 1) for y in range(length) for x in range(width - 1)]
    return edges + [(y * width + x, (y + 1) * width + x) for y in range(length - 1) for x in range(width)]


def closure_of_grid(width, length):
    """Pairs of vertices of which the first reaches the second: each right or down of it, without the vertex itself."""
    return (width * (width + 1) // 2) * (length * (length + 1) // 2) - width * length


def write_graph(edges, folder):
    write_relation(folder / "data/g5955/path_2_1_2", [], 3)
    write_relation(folder / "run/edges", [(*edge, number) for number, edge in enumerate(edges)], 3)


# ---- terms -----------------------------------------------------------------------------------------------------------------

class Numbers:
    def __init__(self):
        self.last = 0

    def new(self):
        self.last += 1
        return self.last


def nested_functions(depth, length):
    """For freevars: a tree of applications with 2^depth leaves. A leaf is `length` functions, each the body of the one before,
    with variables of outer functions: what is free inside moves out by one function in some iterations."""
    numbers, applications, lambdas, references, parameters = Numbers(), [], [], [], []

    def leaf():
        names = [numbers.new() for _ in range(length)]
        body = numbers.new()
        references.append((names[-1], body))
        for place in reversed(range(length)):
            function, call, parameter, outer = (numbers.new() for _ in range(4))
            references.append((names[place // 2], function))
            applications.append((function, body, call))
            parameters.append((names[place], parameter))
            lambdas.append((parameter, call, outer))
            body = outer
        return body

    def tree(levels):
        if levels == 0:
            return leaf()
        function, argument, call = tree(levels - 1), tree(levels - 1), numbers.new()
        applications.append((function, argument, call))
        return call

    tree(depth)
    return {"app_2_1_2": applications, "lambda_2_1_2": lambdas, "var-ref_1_1": references, "args_1_1": parameters}


def nested_calls(depth, length):
    """For kcfa: a program, a tree of calls with 2^depth leaves. A leaf calls `length` functions of two arguments, each in the
    body of the one before, with the variables of that one: the analysis takes some iterations for each call."""
    numbers, calls, lambdas, variables = Numbers(), [], [], []

    def variable(name):
        variables.append((numbers.new(), name))
        return variables[-1][0]

    def function(first, second, body):
        lambdas.append((numbers.new(), first, second, body))
        return lambdas[-1][0]

    def constant():
        first, second = numbers.new(), numbers.new()
        return function(first, second, variable(first))

    def call(*parts):
        calls.append((numbers.new(), *parts))
        return calls[-1][0]

    def leaf():
        names = [(numbers.new(), numbers.new()) for _ in range(length)]
        body = variable(names[-1][0])
        for place in reversed(range(length)):
            arguments = [variable(name) for name in names[place - 1]] if place > 0 else [constant(), constant()]
            body = call(function(*names[place], body), *arguments)
        return body

    def tree(levels):
        return leaf() if levels == 0 else call(constant(), tree(levels - 1), tree(levels - 1))

    root = tree(depth)
    return with_facts({"App_4_33": calls, "Lam_4_36": lambdas, "Var_2_5": variables, "Prog_1_13": [(root,)]})


def with_facts(relations):
    """Adds each row's number of its fact. Terms have numbers of their own, which the rows have in their first column."""
    fact = Numbers()
    return {name: [(*row, fact.new()) for row in rows] for name, rows in relations.items()}
