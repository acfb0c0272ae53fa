# shellcheck shell=bash
# shellcheck disable=SC2154
# The Java that everything here runs on. Where the classes are, build.sh says in the project and bin/twinbell where
# Twinbell is unpacked: they define node_class_path and command_class_path.

# A bare locale (a new machine's, cron's, a service's) knows ASCII only: other letters in names would become question marks.
# So does one that this machine does not have, such as that of the terminal from which somebody logged in.
letters=$(locale charmap 2>/dev/null || true)
case ${LC_ALL:-${LC_CTYPE:-${LANG:-C}}}/$letters in
C/* | POSIX/* | */ANSI_X3.4-1968)
    if [ -n "${LC_ALL:-}" ]; then export LC_ALL=C.UTF-8; else export LC_CTYPE=C.UTF-8; fi
    ;;
esac

complain() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

fail() {
    complain "$*"
    exit 1
}

# Sets java to the command, and java_version to all that it says of itself.
find_java() {
    local version
    if [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/java" ]; then
        java=$JAVA_HOME/bin/java
    else
        java=$(command -v java) || fail "needs Java 17 or newer: no java in JAVA_HOME or on the PATH"
    fi
    java_version=$("$java" -version 2>&1)
    version=$(printf '%s\n' "$java_version" | sed -n 's/.* version "\([0-9]*\).*/\1/p')
    [ "${version:-0}" -ge 17 ] || fail "needs Java 17 or newer; $java is version ${version:-unknown}"
}

# Sets large_pages to the option for a node's JVM, where the system has them. A process that is killed gives its memory back
# before it closes its sockets, which is what the standby waits for: in pages of 4 KiB that takes up to a tenth of a second.
find_large_pages() {
    large_pages=()
    if grep -qs -e '\[madvise\]' -e '\[always\]' /sys/kernel/mm/transparent_hugepage/enabled; then
        large_pages=(-XX:+UseTransparentHugePages)
    fi
}

# The command line lives for a moment: what makes a long run fast would only make it slow. Newer JDKs have a console even
# where there is no terminal, unless told otherwise; a script must not be asked for a confirmation.
twinbell() {
    local streams='' columns=''
    [ ! -t 0 ] || streams=${streams}0
    [ ! -t 1 ] || streams=${streams}1
    [ ! -t 2 ] || {
        streams=${streams}2
        columns=$(stty size 2>/dev/null <&2) || columns=''
    }
    "$java" -Djdk.console=java.base -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "-Dtwinbell.top=$top" \
        "-Dtwinbell.tty=$streams" "-Dtwinbell.columns=${columns#* }" \
        ${command_options[@]+"${command_options[@]}"} \
        -cp "$(command_class_path)" io.twinbell.tools.cli.TwinbellCommand "$@"
}
