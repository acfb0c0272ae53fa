# shellcheck shell=bash
# shellcheck disable=SC2154
# Finds Java and runs the command line with it. build.sh (in the project) or home.sh (in an installation) defines
# node_class_path and command_class_path.

# On a new machine, in cron and in services, the locale often has ASCII only, and other letters in names would become question
# marks. The same happens with a locale that this machine does not have, such as one that an SSH client sent.
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

# Sets java to the command, and java_version to the complete output of java -version.
find_java() {
    local version
    if [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/java" ]; then
        java=$JAVA_HOME/bin/java
    else
        java=$(command -v java) || fail "needs Java 17 or newer: no java in JAVA_HOME or on the PATH"
    fi
    java_version=$("$java" -version 2>&1) || fail "$java does not run: $java_version"
    version=$(printf '%s\n' "$java_version" | sed -n 's/.* version "\([0-9]*\).*/\1/p')
    [ "${version:-0}" -ge 17 ] || fail "needs Java 17 or newer; $java is version ${version:-unknown}"
}

# Sets large_pages to the option for a node's JVM, if the system has large pages. They shorten a takeover: the standby waits
# until the sockets of a killed master are closed. The system frees the memory first, which takes up to 0.1 s with pages
# of 4 KiB.
find_large_pages() {
    large_pages=()
    if grep -qs -e '\[madvise\]' -e '\[always\]' /sys/kernel/mm/transparent_hugepage/enabled; then
        large_pages=(-XX:+UseTransparentHugePages)
    fi
}

# A command runs for a moment, so options that speed up long runs would slow it down. Without jdk.console=java.base, newer JDKs
# offer a console even if there is no terminal, and a script would be asked for confirmation.
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
