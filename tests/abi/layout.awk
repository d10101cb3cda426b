# Writes a C program that prints the constants, the layouts and the integer types.
BEGIN {
    print "#include <stddef.h>"
    print "#include <stdio.h>"
    print "int main(void) {"
}

# The first file: names of constants.
FNR == NR {
    printf "printf(\"constant %s %%lld\\n\", (long long)%s);\n", $0, $0
    next
}

# typedef struct name { type field; ... } name;
/^typedef struct cupel_[a-z_]* \{/ {
    name = $3
    body = $0
    sub(/^[^{]*\{ */, "", body)
    sub(/ *\}[^}]*$/, "", body)
    printf "printf(\"struct %s size %%zu\\n\", sizeof(struct %s));\n", name, name
    fields = split(body, field, / *; */)
    for (i = 1; i <= fields; i++) {
        if (field[i] == "") continue
        of = type = field[i]
        sub(/.*[ *]/, "", of)
        type = substr(field[i], 1, length(field[i]) - length(of))
        sub(/ *$/, "", type)
        printf "printf(\"field %s.%s at %%zu size %%zu type %s\\n\", ", name, of, type
        printf "offsetof(struct %s, %s), sizeof(((struct %s *)0)->%s));\n", name, of, name, of
    }
}

# typedef int32_t name;
/^typedef [a-z0-9_]* cupel_[a-z_]*;$/ {
    name = $3
    sub(/;/, "", name)
    printf "printf(\"integer %s size %%zu %%s\\n\", sizeof(%s), (%s)-1 < 0 ? \"signed\" : \"unsigned\");\n", name, name, name
}

END { print "return 0; }" }
