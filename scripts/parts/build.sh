# shellcheck shell=bash
# shellcheck disable=SC2154
# Finds the jars of the project, and builds them if they are missing or older than their sources. Needs $top and java.sh.

modules=(persistence ha node/core node/observe node/tasks node/handlers node/server node/client node ops/cli ops/verify ops/importers ops/daemon ops/lab)

# jar_of MODULE: prints the module's jar if it has been built.
jar_of() {
    local jar
    for jar in "$top/$1/target/twinbell-${1##*/}"-*.jar; do
        case $jar in *-tests.jar | *-sources.jar | *-javadoc.jar) continue ;; esac
        [ ! -f "$jar" ] || {
            printf '%s\n' "$jar"
            return
        }
    done
    return 1
}

is_built() {
    local module
    [ -d "$top/ops/daemon/target/lib" ] && [ -d "$top/ops/importers/target/lib" ] &&
        [ -d "$top/ops/verify/target/dev-lib" ] || return 1
    for module in "${modules[@]}"; do
        jar_of "$module" >/dev/null || return 1
    done
}

# A build does not touch a jar whose content stays the same, so the time of the last build counts too.
is_fresh() {
    local module built stamp=$top/target/built
    for module in "${modules[@]}"; do
        built=$(jar_of "$module")
        [ ! "$stamp" -nt "$built" ] || built=$stamp
        [ -z "$(find "$top/$module/src/main" "$top/$module/pom.xml" "$top/pom.xml" -newer "$built" 2>/dev/null)" ] ||
            return 1
    done
}

# Builds the jars but not the packages, because no script runs from a package.
build() {
    local log=$top/target/build.log
    printf 'Building Twinbell (the first build downloads the libraries, which takes some minutes)\n'
    mkdir -p "$top/target"
    if (cd "$top" && ./mvnw -B -DskipTests -Dspotless.check.skip=true -pl ops/daemon,ops/importers,ops/lab -am package) 2>&1 | tee "$log" |
        sed -n 's/^\[INFO\] Building \(Twinbell .*[^ ]\) .*\[\(.*\)\]$/  \1 (\2)/p'; then
        touch "$top/target/built"
    else
        tail -n 40 "$log" >&2
        fail "the build failed; its log is $log"
    fi
}

build_if_stale() {
    { is_built && is_fresh; } || build
}

# For commands that run beside a node: a build would replace the jars that the node uses.
build_if_missing() {
    is_built || build
    is_fresh || complain "the sources are newer than the build; to build them, run ./mvnw -DskipTests package"
}

node_class_path() {
    printf '%s:%s\n' "$(jar_of ops/daemon)" "$top/ops/daemon/target/lib/*"
}

# The lab first: its drills have the name of those that a package has.
command_class_path() {
    printf '%s:%s:%s:%s:%s\n' "$(jar_of ops/lab)" "$(jar_of ops/importers)" "$top/ops/importers/target/lib/*" \
        "$(services_class_path)" "$(node_class_path)"
}

services_class_path() {
    printf '%s:%s\n' "$(jar_of ops/verify)" "$top/ops/verify/target/dev-lib/*"
}
