# Cuts preprocessed C into declarations of the library, one a line, evenly spaced.
{
    depth = 0
    declaration = ""
    for (i = 1; i <= length($0); i++) {
        c = substr($0, i, 1)
        depth += (c == "{") - (c == "}")
        declaration = declaration c
        if (c == ";" && depth == 0) {
            gsub(/  */, " ", declaration)
            gsub(/^ | $/, "", declaration)
            gsub(/\( /, "(", declaration)
            gsub(/ \)/, ")", declaration)
            if (declaration ~ /cupel_/) print declaration
            declaration = ""
        }
    }
}
