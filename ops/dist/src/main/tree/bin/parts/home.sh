# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154
# Where the files of an installation are. TWINBELL_CONF replaces the directory conf. TWINBELL_RUN replaces the directory run,
# which contains the pid file and the class archive.

conf=${TWINBELL_CONF:-$top/conf}
run=${TWINBELL_RUN:-$top/run}
config=$conf/twinbell.yaml
# Relative paths in twinbell.yaml are resolved against this directory.
home=$top
config_hint=
[ -e "$conf" ] || [ ! -e "$top/conf.example" ] ||
    config_hint="; copy $top/conf.example to $conf, and edit twinbell.yaml there"
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

# Relative paths in the installation's own file are resolved against its top directory, and those in another file against
# the directory of that file.
home_options() {
    home_options=("-Dtwinbell.home=$top" "-Dtwinbell.config=$(absolute "$conf/twinbell.yaml")")
}

# The node starts in the top directory, because everybody might write to the current one.
prepare_classes() {
    home_options
    java_options+=("${home_options[@]}")
    config=$(absolute "$config") pid_file=$(absolute "$pid_file") log_file=$(absolute "$log_file")
    cd "$top"
}

absolute() {
    case $1 in /*) printf '%s\n' "$1" ;; *) printf '%s/%s\n' "$PWD" "$1" ;; esac
}
