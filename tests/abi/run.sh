#!/bin/sh
# Holds the ABI to its baseline, tests/abi/v0.1: what the header promises, what the library exports, and a program compiled
# then that runs now. Fails on an incompatible change unless CUPEL_ABI_VERSION has moved.
#
# CUPEL_LIB_DIR and CUPEL_INCLUDE_DIR say where library and header are (default: target/release and include).
set -eu
. "$(dirname "$0")/../c/lib.sh"
need gcc gcc
need nm binutils
need valgrind valgrind
need abidiff abigail-tools

baseline=tests/abi/v0.1
output=$output/abi
mkdir -p "$output"

# The header against the baseline's.
describe=tests/abi/describe.sh
check "the header can be described" sh -c "$describe $include/cupel.h >$output/now"
check "the baseline's header is the baseline's description" sh -c "$describe $baseline/cupel.h | diff $baseline/abi.txt -"
check "the header keeps what the baseline promises" tests/abi/compare.sh $baseline/abi.txt "$output/now"

# The library against the header: every function of the baseline is exported.
nm -D --defined-only "$library/libcupel.so" | awk '{ print $NF }' | sort >"$output/exported"
sed -n 's/^function .*[ *]\(cupel_[a-z_]*\)(.*/\1/p' $baseline/abi.txt | sort >"$output/promised"
same "functions in the baseline" "$(grep -c '^function' $baseline/abi.txt)" "$(wc -l <"$output/promised" | tr -d ' ')"
same "functions of the baseline that are not exported" "" "$(comm -23 "$output/promised" "$output/exported")"

# As a tool sees it that knows C's rules. The Rust library's own debug information speaks of Rust types; so both headers are
# made into libraries whose functions do nothing.
stub() {
    {
        printf '#include "%s"\n' "$1"
        $describe "$1" | sed -n 's/^function \(.*\)/\1 { __builtin_trap(); }/p'
    } >"$2.c"
    gcc -std=c11 -g -w -shared -fPIC "$2.c" -o "$2"
}
diff_stubs() {
    stub "$PWD/$baseline/cupel.h" "$output/then.so" && stub "$1" "$output/now.so" &&
        abidiff --no-added-syms --suppressions tests/abi/abidiff.ini "$output/then.so" "$output/now.so"
}
moved=$(sed -n 's/^constant CUPEL_ABI_VERSION //p' "$output/now")
if [ "$moved" = "$(sed -n 's/^constant CUPEL_ABI_VERSION //p' $baseline/abi.txt)" ]; then
    check "abidiff finds nothing" diff_stubs "$include/cupel.h"
else
    echo "CUPEL_ABI_VERSION has moved to $moved: abidiff is not asked"
fi

# A program from then with the library of now.
old_host() {
    gcc -std=c11 -g $warnings -I$baseline tests/abi/old_host.c -L"$library" -lcupel -Wl,-rpath,"$library" -o "$output/old_host"
}
check "the old host compiles" old_host
check "the old host runs" "$output/old_host"
check "the old host runs under valgrind" valgrind --quiet --error-exitcode=99 --leak-check=full \
    --errors-for-leak-kinds=definite,indirect,possible "$output/old_host"

# The watch itself: each of these changes must be seen, or must be let through.
# changed WHAT EXPECTED SED: 0 when the comparison lets the header through that sed makes.
changed() {
    sed "$3" $baseline/cupel.h >"$output/changed.h"
    if cmp -s $baseline/cupel.h "$output/changed.h"; then
        fail "$1: the header is the same"
        return
    fi
    $describe "$output/changed.h" >"$output/changed"
    status=0
    tests/abi/compare.sh $baseline/abi.txt "$output/changed" >/dev/null 2>&1 || status=1
    same "$1" "$2" "$status"
}
changed "a status with another number" 1 's/^#define CUPEL_STATUS_BUSY 13/#define CUPEL_STATUS_BUSY 14/'
changed "a constant that is gone" 1 '/^#define CUPEL_TEXT_MATCH_EXACT/d'
changed "a function that is gone" 1 's/cupel_batch_len(/cupel_batch_size(/'
changed "a parameter of another type" 1 's/int64_t half_life_nanoseconds/int32_t half_life_nanoseconds/'
changed "a wider integer" 1 's/^typedef int32_t cupel_status;/typedef int64_t cupel_status;/'
changed "a field in front of others" 1 's/^    size_t rows;/    size_t more; size_t rows;/'
changed "a field of another type" 1 's/^    double score;/    int64_t score;/'
changed "a struct that grows though it has no struct_size" 1 's/^} cupel_weight;/    double more;\n} cupel_weight;/'
changed "a callback with another parameter" 1 's/(\*cupel_destroy_callback)(void \*user_data)/(*cupel_destroy_callback)(void *user_data, int why)/'
changed "cupel_columns grows at its end" 0 's/^} cupel_columns;/    const int64_t *more;\n} cupel_columns;/'
changed "another constant" 0 's/^#define CUPEL_STATUS_BUSY 13/&\n#define CUPEL_STATUS_NEW 14/'
changed "another function" 0 's/^CUPEL_API const char \*cupel_version(void);/&\nCUPEL_API int cupel_more(void);/'
changed "another comment" 0 's/Frees a batch/Lets go of a batch/'
# abidiff_says STATUS SED: what it says of the header that sed makes.
abidiff_says() {
    sed "$2" $baseline/cupel.h >"$output/changed.h"
    status=0
    diff_stubs "$output/changed.h" >/dev/null 2>&1 || status=1
    [ "$status" = "$1" ]
}
check "abidiff sees a parameter of another type" \
    abidiff_says 1 's/int64_t half_life_nanoseconds/int32_t half_life_nanoseconds/'
check "abidiff sees a field of another type" abidiff_says 1 's/^    double score;/    float score;/'
check "abidiff lets cupel_columns grow at its end" \
    abidiff_says 0 's/^} cupel_columns;/    const int64_t *more;\n} cupel_columns;/'
changed "an incompatible change that the version owns up to" 0 \
    's/^#define CUPEL_STATUS_BUSY 13/#define CUPEL_STATUS_BUSY 14/; s/^#define CUPEL_ABI_VERSION 1/#define CUPEL_ABI_VERSION 2/'
report abi
