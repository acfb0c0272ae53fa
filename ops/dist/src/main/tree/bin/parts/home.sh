# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# Where things are once Twinbell is unpacked. TWINBELL_CONF names another directory than conf, TWINBELL_RUN another than
# run, which holds the pid file and the archive of classes.

conf=${TWINBELL_CONF:-$top/conf}
run=${TWINBELL_RUN:-$top/run}
config=$conf/twinbell.yaml
# Relative paths in that file count from here.
home=$top
pid_file=$run/twinbell.pid
log_file=$top/logs/twinbell.out
archives=$run
java_options=()
[ ! -r "$conf/jvm.options" ] || java_options=("@$conf/jvm.options")

node_class_path() {
    printf '%s\n' "$top/lib/*"
}

command_class_path() {
    node_class_path
}

# Relative paths in the file of the installation count from the top, those in another file from where that stands.
home_options() {
    home_options=("-Dtwinbell.home=$top" "-Dtwinbell.config=$(absolute "$conf/twinbell.yaml")")
}

# The node starts at the top, and not where everybody may write.
prepare_classes() {
    home_options
    java_options+=("${home_options[@]}")
    config=$(absolute "$config") pid_file=$(absolute "$pid_file") log_file=$(absolute "$log_file")
    cd "$top"
}

absolute() {
    case $1 in /*) printf '%s\n' "$1" ;; *) printf '%s/%s\n' "$PWD" "$1" ;; esac
}
