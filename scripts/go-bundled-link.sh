#!/bin/sh
# Prints the link.go of a Go module that brings static libraries along: one for each folder GOOS_GOARCH below FOLDER.
#
#     scripts/go-bundled-link.sh FOLDER
set -eu

cat <<'END'
package cupel

// How the C library is found: the static library of the platform, which this
// module brings along. With the build tag cupel_system, pkg-config is asked
// for "cupel" instead.

/*
#cgo cupel_system pkg-config: cupel
#cgo !cupel_system CFLAGS: -I${SRCDIR}
END
for folder in "$1"/*_*; do
    name=$(basename "$folder")
    case $name in
    windows_*) system="-lws2_32 -luserenv -lntdll" ;;
    darwin_*) system= ;;
    *) system="-lpthread -lm -ldl" ;;
    esac
    # shellcheck disable=SC2016
    echo "#cgo !cupel_system,${name%_*},${name#*_} LDFLAGS: \${SRCDIR}/lib/$name/libcupel.a $system" | sed 's/ $//'
done
cat <<'END'
*/
import "C"
END
