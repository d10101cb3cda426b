#!/usr/bin/env python3
"""Holds the imports of the compiled assembly against the header and the library, so that they cannot drift.

Names, number and width of parameters, return types, sizes and offsets of structs, callbacks and constants. The header is
read here for the signatures; a C program, compiled against it, says the rest.

usage: check_imports.py LISTING HEADER LIBRARY WORKDIR
where LISTING is what the test program writes with --imports.
"""
import os
import re
import subprocess
import sys

checked = 0
problems = []


def check(condition, what):
    global checked
    checked += 1
    if not condition:
        problems.append(what)


# C types and the only .NET types that may stand for them: the same width, sign and level of indirection.
SCALARS = {
    "void": "Void", "char": "Byte", "bool": "Byte", "uint8_t": "Byte", "int32_t": "Int32", "uint32_t": "UInt32",
    "int64_t": "Int64", "uint64_t": "UInt64", "size_t": "UIntPtr", "double": "Double", "cupel_status": "Int32", "cupel_text_match": "Int32",
    "cupel_metadata_type": "Int32", "cupel_weight": "NativeWeight", "cupel_decay_step": "NativeDecayStep",
    "cupel_slicer": "Int32", "cupel_placer": "Int32", "cupel_overflow": "Int32", "cupel_scarcity": "Int32",
    "cupel_reason": "Int32",
}
CALLBACKS = {"cupel_fallible_score_callback": "NativeScore", "cupel_fallible_now_callback": "NativeNow",
             "cupel_destroy_callback": "NativeDestroy"}
# What the binding has no use for: of the two forms of a callback it takes the one that can say why it failed, and reasons are an
# enumeration.
UNUSED_FUNCTIONS = {"cupel_clock_custom_new", "cupel_error_new", "cupel_reason_name", "cupel_scorer_custom_new"}
UNUSED_CALLBACKS = {"cupel_score_callback", "cupel_now_callback"}
STRUCTS = {"cupel_weight": "NativeWeight", "cupel_decay_step": "NativeDecayStep", "cupel_text_column": "NativeTextColumn",
           "cupel_columns": "NativeColumns", "cupel_quota": "NativeQuota", "cupel_count_quota": "NativeCountQuota",
           "cupel_shortfall": "NativeShortfall", "cupel_policy": "NativePolicy", "cupel_request": "NativeRequest",
           "cupel_selection_view": "NativeSelectionView", "cupel_arrow_options": "NativeArrowOptions"}
# The structs of Arrow are passed on as they come.
OPAQUE = {"ArrowSchema", "ArrowArray", "ArrowArrayStream"}
CONSTANTS = {
    "CUPEL_STATUS_": "CupelStatus.", "CUPEL_TEXT_MATCH_": "TextMatch.", "CUPEL_METADATA_TYPE_": "MetadataType.",
    "CUPEL_SLICER_": "Slicer.", "CUPEL_PLACER_": "Placer.", "CUPEL_OVERFLOW_": "Overflow.", "CUPEL_SCARCITY_": "Scarcity.",
    "CUPEL_REASON_": "SelectionReason.", "CUPEL_COLUMN_": "BatchColumns.", "CUPEL_ARROW_": "NativeArrowOptions.",
    "CUPEL_ABI_VERSION": "AbiVersion",
}


def managed_type(c_type):
    words = re.sub(r"\bconst\b|\bstruct\b", " ", c_type)
    stars = words.count("*")
    base = words.replace("*", " ").split()
    if len(base) != 1:
        raise ValueError(f"cannot read the type {c_type!r}")
    base = base[0]
    if (base in CALLBACKS or base in UNUSED_CALLBACKS) and stars == 0:
        return "IntPtr"
    if base in STRUCTS:
        return STRUCTS[base] + "*" * stars
    if base in SCALARS:
        if base == "void" and stars:
            return "IntPtr" + "*" * (stars - 1)
        return SCALARS[base] + "*" * stars
    if (base.startswith("cupel_") or base in OPAQUE) and stars:  # an opaque handle
        return "IntPtr" + "*" * (stars - 1)
    raise ValueError(f"no managed type for {c_type!r}")


def parameters(text):
    text = " ".join(text.split())
    if text in ("", "void"):
        return []
    kept = []
    for parameter in text.split(","):
        match = re.match(r"(.*?)\b(\w+)\s*$", parameter.strip())
        kept.append(managed_type(match.group(1)))
    return kept


def read_header(path):
    # Without comments; the preprocessor has nothing to say about declarations.
    with open(path, encoding="utf-8") as file:
        source = file.read()
    source = re.sub(r"/\*.*?\*/|//[^\n]*", " ", source, flags=re.S)
    constants = re.findall(r"^\s*#\s*define\s+(CUPEL_\w+)\s+\S", source, re.M)
    source = re.sub(r"^\s*#(?:\\\n|[^\n])*", " ", source, flags=re.M)
    functions, unused = {}, set()
    for match in re.finditer(r"([\w\s*]+?)\b(cupel_\w+)\s*\(([^()]*)\)\s*;", source):
        returns = re.sub(r"\b(?:CUPEL_API|extern)\b", " ", match.group(1))
        if match.group(2) in UNUSED_FUNCTIONS:
            unused.add(match.group(2))
            continue
        functions[match.group(2)] = [managed_type(returns)] + parameters(match.group(3))
    callbacks = {}
    for match in re.finditer(r"typedef\s+([\w\s*]+?)\(\s*\*\s*(cupel_\w+)\s*\)\s*\(([^()]*)\)\s*;", source):
        callbacks[match.group(2)] = [managed_type(match.group(1))] + parameters(match.group(3))
    structs = {}
    for match in re.finditer(r"typedef\s+struct\s+(cupel_\w+)\s*\{(.*?)\}", source, re.S):
        structs[match.group(1)] = [
            (re.match(r"(.*?)\b(\w+)\s*$", field.strip(), re.S).group(2),
             managed_type(re.match(r"(.*?)\b(\w+)\s*$", field.strip(), re.S).group(1)))
            for field in match.group(2).split(";") if field.strip()]
    return functions, unused, callbacks, structs, constants


def read_listing(path):
    imports, callbacks, sizes, fields, constants = {}, {}, {}, {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            kind, name, *rest = line.split()
            if kind == "import":
                imports[name] = (rest[0], rest[1], rest[2:])
            elif kind == "callback":
                callbacks[name] = rest
            elif kind == "struct":
                sizes[name] = int(rest[0])
            elif kind == "field":
                fields.setdefault(name, []).append((rest[0], int(rest[1]), rest[2]))
            elif kind == "constant":
                constants[name] = int(rest[0])
    return imports, callbacks, sizes, fields, constants


def ask_compiler(header, workdir, structs, constants):
    lines = [f'#include "{os.path.abspath(header)}"', "#include <stdio.h>", "int main(void) {"]
    for struct, fields in structs.items():
        lines.append(f'printf("%zu\\n", sizeof({struct}));')
        lines += [f'printf("%zu %zu\\n", offsetof({struct}, {name}), sizeof((({struct} *)0)->{name}));'
                  for name, _ in fields]
    lines += [f'printf("%lld\\n", (long long)({name}));' for name in constants]
    lines += ["return 0; }"]
    source, program = os.path.join(workdir, "layout.c"), os.path.join(workdir, "layout")
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    subprocess.run([os.environ.get("CC", "cc"), "-o", program, source], check=True)
    return iter(subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines())


def exported(library):
    output = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in output.splitlines()}


def managed_constant(name):
    for prefix, owner in CONSTANTS.items():
        if name.startswith(prefix):
            return owner + "".join(word.capitalize() for word in name[len(prefix):].split("_"))
    return None


def main():
    listing, header, library, workdir = sys.argv[1:]
    functions, unused, callbacks, structs, defined = read_header(header)
    imports, delegates, sizes, fields, constants = read_listing(listing)
    symbols = exported(library)

    check(len(functions) > 60, f"only {len(functions)} functions were read from the header")
    check(unused == UNUSED_FUNCTIONS, f"not in the header: {sorted(UNUSED_FUNCTIONS - unused)}")
    check(set(imports) == set(functions), f"imports and header differ: {sorted(set(imports) ^ set(functions))}")
    for name, (dll, form, signature) in imports.items():
        check(dll == "cupel" and form == "plain", f"{name} is not a plain cdecl import of cupel")
        check(name in symbols, f"{name} is not exported by the library")
        check(signature == functions.get(name), f"{name}: imported as {signature}, declared as {functions.get(name)}")

    check(set(callbacks) == set(CALLBACKS) | UNUSED_CALLBACKS, f"callbacks of the header: {sorted(callbacks)}")
    for name, delegate in CALLBACKS.items():
        signature = callbacks.get(name)
        check(delegates.get(delegate) == signature, f"{name}: {delegates.get(delegate)}, declared as {signature}")

    known = [name for name in defined if managed_constant(name)]
    structs_in_order = {name: structs[name] for name in STRUCTS}
    check(set(structs) == set(STRUCTS), f"structs of the header: {sorted(structs)}")
    answers = ask_compiler(header, workdir, structs_in_order, known)
    for name, declared in structs_in_order.items():
        managed = STRUCTS[name]
        size = int(next(answers))
        check(sizes[managed] == size, f"{managed} has {sizes[managed]} bytes, {name} {size}")
        check([field[0] for field in fields[managed]] == [field[0] for field in declared], f"{managed}: other fields than {name}")
        for (field, offset, kind), (_, c_kind) in zip(fields[managed], declared):
            c_offset, _ = map(int, next(answers).split())
            check(offset == c_offset, f"{managed}.{field} is at {offset}, in C at {c_offset}")
            check(kind == c_kind, f"{managed}.{field} is {kind}, in C {c_kind}")
    for name in known:
        value = int(next(answers))
        check(constants.get(managed_constant(name)) == value, f"{managed_constant(name)} is not {name} = {value}")
    check({managed_constant(name) for name in known} == set(constants), "constants of one side only")

    for problem in problems:
        print("FAILED imports: " + problem)
    print(f"imports: {checked - len(problems)} passed, {len(problems)} failed ({len(imports)} functions)")
    return 1 if problems else 0


sys.exit(main())
