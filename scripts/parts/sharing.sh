# shellcheck shell=bash
# shellcheck disable=SC2154
# Class data sharing: a node starts and takes over faster if the JVM loads its classes, parsed and checked, from an archive.
# Before the first start, a node that reaches no server makes the archive, in about six seconds. The archive is only a cache:
# nothing fails without it, and an archive for another Java or other jars is not used. Needs java.sh and process.sh.

# archive_in DIRECTORY: prints the path of the archive for this Java and these jars.
archive_in() {
    local paths
    IFS=: read -r -a paths <<<"$(node_class_path)"
    printf '%s/classes-%s.jsa\n' "$1" "$( (
        printf '%s\n%s\n' "$java" "$java_version"
        for path in "${paths[@]}"; do
            # Names, sizes and times of the jars, which the JVM compares too.
            case $path in *'/*') ls -ln "${path%'*'}" ;; *) ls -ln "$path" ;; esac
        done
    ) | cksum | cut -d ' ' -f 1)"
}

# share_classes DIRECTORY: sets sharing to the options for the JVM, and makes the archive if there is none yet.
share_classes() {
    local archive
    sharing=()
    archive=$(archive_in "$1") || return 0
    [ -f "$archive" ] || make_archive "$archive" || return 0
    # If the archive does not fit, the JVM runs without it. These options keep it from reporting that.
    sharing=(-XX:SharedArchiveFile="$archive" -Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off -Xlog:class+path=off)
}

# make_archive FILE: if two processes do this at the same time, each writes a complete archive.
make_archive() {
    local draft=$1.$$
    { mkdir -p "${1%/*}" && [ -w "${1%/*}" ]; } 2>/dev/null || return 1
    "$java" -XX:ArchiveClassesAtExit="$draft" -Xlog:disable -XX:+UseSerialGC -Xmx256m -XX:TieredStopAtLevel=1 \
        -cp "$(node_class_path)" io.twinbell.daemon.CdsArchiveRun </dev/null >/dev/null 2>&1 || true
    [ -s "$draft" ] || {
        rm -f "$draft"
        return 1
    }
    rm -f "${1%/*}"/classes-*.jsa
    mv "$draft" "$1"
}
