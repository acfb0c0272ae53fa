# shellcheck shell=bash
# shellcheck disable=SC2154
# Runs one node as a daemon, with an existing PostgreSQL and ZooKeeper. The including script defines what java.sh needs, and:
# prepare_classes; program, the name that usage shows; archives, a directory for sharing.sh; java_options; and config,
# pid_file and log_file if they have a default.

usage() {
    cat <<END
Usage: $program start|stop|restart|status|ready|run|archive ${config:+[}--config FILE${config:+]} [FLAGS]

  start     start the node as a daemon and wait until it is ready: it has joined, and is master or able to take over
            (exit code 1 if it is not ready in time; the exit code of the node if it ends)
  stop      send SIGTERM and wait until the node has drained
  restart   stop the node if it runs, then start it
  status    show the node's own view (exit code 0 ready, 1 not ready, 3 not running)
  ready     exit code 0 if the node is ready, else 1; for health checks, without a JVM
  run       run the node in the foreground; under systemd, report when it is ready
  archive   create the class archive that the first start would create

  --config FILE       ${config:+default: $config}
  --pid-file FILE     default: ${pid_file:-beside the config, FILE.pid for FILE.yaml}
  --log-file FILE     default: ${log_file:-beside the config, FILE.log} (start only)
  --wait SECONDS      how long start and stop wait; default: 60 (--timeout is a synonym)
  --set KEY=VALUE     passed to the node, repeatable (start, restart and run)

TWINBELL_JAVA_OPTS contains options for the JVM. Exit codes of run: 0 stopped, 1 failed (a new start may help),
77 a person has to decide something first, 78 the configuration is wrong.
END
}

misused() {
    complain "$*"
    usage >&2
    exit 64
}

# value KEY: prints the value that the node uses for a key such as http.port. This script needs the values of some keys. It
# reads the usual ways to write a key in YAML. As in the node, --set and the variable override the file.
value() {
    local key=$1 variable setting
    for setting in ${settings[@]+"${settings[@]}"}; do
        case $setting in "$key="*)
            printf '%s\n' "${setting#*=}"
            return
            ;;
        esac
    done
    variable=TWINBELL_$(printf '%s' "$key" | sed 's/[A-Z]/_&/g' | tr 'a-z.' 'A-Z_')
    if [ -n "${!variable:-}" ]; then
        printf '%s\n' "${!variable}"
        return
    fi
    awk -v key="$key" '
        { sub(/[ \t]+#.*/, ""); sub(/[ \t\r]+$/, "") }
        /^[ \t]*(#|$)/ { next }
        {
            name = $0; sub(/:.*/, "", name); text = $0; sub(/^[^:]*:[ \t]*/, "", text); gsub(/["\047]/, "", text)
            column = match(name, /[^ \t]/); name = substr(name, column)
            while (depth > 0 && columns[depth] >= column) depth--
            full = depth > 0 ? sections[depth] "." name : name
            if (text == "") { depth++; columns[depth] = column; sections[depth] = full }
            else if (full == key) { print text; exit }
        }' "$config"
}

address() {
    host=$(value http.host)
    port=$(value http.port)
    : "${port:=8081}"
    # Nobody can connect to a wildcard, but a node that listens on it also answers on the loopback address.
    case $host in '' | 0.0.0.0 | ::) host=127.0.0.1 ;; esac
    find_health_port
}

# If the API uses TLS, health checks have a separate port without TLS.
find_health_port() {
    scheme=http health_host=$host health_port=$port
    if [ -n "$(value http.tls.certificate)" ]; then
        scheme=https
        health_host=$(value http.health.host)
        case $health_host in '' | 0.0.0.0 | ::) health_host=127.0.0.1 ;; esac
        health_port=$(value http.health.port)
        [ -n "$health_port" ] || health_port=$((port + (port > 65435 ? -100 : 100)))
    fi
}

# The command line of operators trusts the same authorities as the node, unless TWINBELL_CA names others. If the node
# requires certificates of its clients, the command line presents the node's own, unless TWINBELL_CERT names another. A user
# who may not read its key, or a key with a password, needs TWINBELL_CERT.
export_authorities() {
    local authorities certificate key
    authorities=$(resolved "$(value http.tls.ca)")
    [ -n "$authorities" ] || return 0
    export TWINBELL_CA=${TWINBELL_CA:-$authorities}
    certificate=$(resolved "$(value http.tls.certificate)")
    key=$(resolved "$(value http.tls.key)")
    if [ "$(value http.tls.clientCertificates)" = REQUIRED ] && [ -z "${TWINBELL_CERT:-}" ] &&
        [ -r "$certificate" ] && [ -r "${key:-$certificate}" ] && [ -z "$(value http.tls.password)" ]; then
        export TWINBELL_CERT=$certificate
        [ -z "$key" ] || export TWINBELL_KEY=$key
    fi
}

# resolved FILE: prints the path of a file that the configuration names, resolved as in the node; nothing for no file.
resolved() {
    case $1 in
    '' | /*) printf '%s\n' "$1" ;;
    *)
        if [ -n "${home:-}" ] && [ "$config" -ef "$conf/twinbell.yaml" ]; then
            printf '%s/%s\n' "$home" "$1"
        else
            printf '%s/%s\n' "$(cd "$(dirname "$config")" && pwd -P)" "$1"
        fi
        ;;
    esac
}

# Sets admin_token to the file of the node's admin token.
find_admin_token() {
    admin_token=$(value http.adminToken)
    admin_token=$(resolved "${admin_token:-admin-token}")
}

node_command() {
    find_large_pages
    # shellcheck disable=SC2206
    node_command=("$java" ${sharing[@]+"${sharing[@]}"} ${large_pages[@]+"${large_pages[@]}"} -XX:+ExitOnOutOfMemoryError
        ${java_options[@]+"${java_options[@]}"} ${TWINBELL_JAVA_OPTS:-}
        -cp "$(node_class_path)" io.twinbell.daemon.NodeMain --config "$config")
    for setting in ${settings[@]+"${settings[@]}"}; do
        node_command+=(--set "$setting")
    done
}

prepare() {
    find_java
    prepare_classes
    share_classes "$archives"
    node_command
}

# Succeeds if the node serves HTTP: then its health checks can tell whether it is ready.
serves_http() {
    [ "$(value http.enabled)" != false ]
}

# Sets directory to the path of log.directory, or to nothing if the log goes to standard output.
find_log_directory() {
    directory=$(resolved "$(value log.directory)")
}

start() {
    local left=$((timeout * 10)) node code=0 directory begun
    ! running "$pid_file" || fail "the node is already running (pid $pid)"
    if serves_http && port_answers "$host" "$port"; then
        # Otherwise, the other program's answers to health checks would count as the node's.
        fail "port $port on $host is used by another program; give the node another port (config key http.port)"
    fi
    prepare
    {
        mkdir -p "$(dirname "$pid_file")" "$(dirname "$log_file")" &&
            [ -w "$(dirname "$pid_file")" ] && true >>"$log_file"
    } 2>/dev/null ||
        fail "$(id -un) cannot write $pid_file and $log_file; name other files with --pid-file and --log-file"
    begun=$(date -u +%Y-%m-%dT%H:%M:%S)
    spawn "$pid_file" "$log_file" "${node_command[@]}"
    node=$!
    find_log_directory
    if ! serves_http; then
        sleep 3
        ! running "$pid_file" || {
            printf 'started: pid=%s log=%s (http.enabled is false, so readiness is unknown)\n' \
                "$pid" "$log_file"
            return
        }
    fi
    while running "$pid_file"; do
        if [ "$(http_code "$health_host" "$health_port" /health/ready)" = 200 ]; then
            printf 'started: http=%s://%s:%s pid=%s log=%s\n' "$scheme" "$host" "$port" "$pid" "$log_file"
            return
        fi
        [ "$left" -gt 0 ] || not_ready
        left=$((left - 1))
        sleep 0.1
    done
    rm -f "$pid_file"
    wait "$node" || code=$?
    tail -n 20 "$log_file" >&2
    complain "the node ended with exit code $code during its start; its log is ${directory:+in $directory and }$log_file"
    exit $((code > 0 ? code : 1))
}

# Fails, but leaves the node running: the node waits for its servers without a limit.
not_ready() {
    local reasons
    reasons=$(http_body "$health_host" "$health_port" /health/ready | sed -n 's/.*"reasons":\[\(.*\)\].*/\1/p') || true
    local logs=("$log_file")
    [ -z "$directory" ] || logs=("$directory"/twinbell-*.log)
    # Not those of earlier runs. Both formats of the log begin with the time, in JSON after a name.
    grep -h -E '^[^ ]+ +(WARN|ERROR) |"level":"(WARN|ERROR)"' "${logs[@]}" 2>/dev/null |
        awk -v begun="$begun" '{ at = $0; sub(/^[^0-9]*/, "", at) } at >= begun' | tail -n 5 >&2 || true
    fail "the node (pid $pid) runs but was not ready within $timeout s: ${reasons:-it does not answer on $host:$port}." \
        "It continues to try; '$program stop' stops it. Its log is ${directory:+in $directory and }$log_file"
}

stop() {
    running "$pid_file" || {
        printf 'not running\n'
        rm -f "$pid_file"
        return
    }
    ! of_systemd || fail "the node (pid $pid) was started by systemd; use systemctl (stop, restart) for its unit"
    kill -TERM "$pid"
    await_end "$pid_file" $((timeout * 10)) || fail "the node (pid $pid) did not stop within $timeout s"
    printf 'stopped\n'
}

restart() {
    stop
    start
}

status() {
    running "$pid_file" || {
        printf 'STOPPED http=%s://%s:%s\n' "$scheme" "$host" "$port"
        exit 3
    }
    find_java
    find_admin_token
    command_options=("-Dtwinbell.adminToken=$admin_token")
    export_authorities
    twinbell status --url "$scheme://$host:$port" 2>/dev/null | sed "s/\$/ pid=$pid/" || true
    [ "$(http_code "$health_host" "$health_port" /health/ready)" = 200 ]
}

# run: this process becomes the node, so signals reach the node, and the exit code is the node's.
run() {
    ! running "$pid_file" || fail "the node is already running (pid $pid)"
    prepare
    name_process
    if [ -n "${NOTIFY_SOCKET:-}" ]; then
        command -v systemd-notify >/dev/null 2>&1 ||
            fail "NOTIFY_SOCKET is set, but systemd-notify, which reports that the node is ready, is not installed"
        # The second fork makes it a child of init. Otherwise the node, which replaces this shell, would be its parent.
        (tell_systemd $$ &)
    fi
    exec "${node_command[@]}"
}

# Writes the pid file, by which status, stop and drills find the node. If the directory is read-only, there is no pid file.
# All users may read it, whatever the umask. Its third line is "systemd" if systemd restarts the node.
name_process() {
    {
        mkdir -p "$(dirname "$pid_file")" && remember "$pid_file" $$ && chmod 0644 "$pid_file" &&
            { [ -z "${NOTIFY_SOCKET:-}" ] || printf 'systemd\n' >>"$pid_file"; }
    } 2>/dev/null || true
}

of_systemd() {
    [ "$(sed -n 3p "$pid_file" 2>/dev/null)" = systemd ]
}

ready() {
    [ "$(http_code "$health_host" "$health_port" /health/ready)" = 200 ]
}

archive() {
    prepare
    [ ${#sharing[@]} -gt 0 ] || fail "no class archive could be created in $archives"
}

# tell_systemd PID: tells systemd once that the node is ready, and then ends. If the node loses its servers later, systemd
# does not need to know: the node waits for them.
tell_systemd() {
    local birth
    birth=$(born "$1")
    if ! serves_http; then
        systemd-notify --ready --status="http.enabled is false, so readiness is unknown" || true
        return
    fi
    systemd-notify --status="waiting for PostgreSQL, ZooKeeper and the other node" || true
    while [ "$(born "$1")" = "$birth" ]; do
        if [ "$(http_code "$health_host" "$health_port" /health/ready)" = 200 ]; then
            systemd-notify --ready --status="serves $scheme://$host:$port" || true
            return
        fi
        sleep 0.2
    done
}

# conceal ARGUMENTS...: keeps passwords and secrets out of the node's environment, because every process of the same user,
# such as a shell task, can read that environment in /proc as long as the node runs. This script starts itself again
# without them, and the node reads them once, from a pipe.
conceal() {
    local variable confidential=()
    # Only commands use this token; the node does not need it.
    unset TWINBELL_TOKEN
    [ -z "${TWINBELL_PRIVATE_FD:-}" ] || return 0
    for variable in $(compgen -e TWINBELL_); do
        case $variable in
        *_FILE) ;;
        TWINBELL_SECRETS_* | *_PASSWORD) confidential+=("$variable") ;;
        TWINBELL_DATABASE_URL) case ${!variable} in *[Pp]assword=*) confidential+=("$variable") ;; esac ;;
        esac
    done
    [ ${#confidential[@]} -gt 0 ] || return 0
    exec 9< <(for variable in "${confidential[@]}"; do printf '%s=%s\0' "$variable" "${!variable}"; done)
    unset "${confidential[@]}"
    TWINBELL_PRIVATE_FD=9 exec "$BASH" "$0" "$@"
}

# daemon COMMAND FLAGS...
daemon() {
    local command=${1:-help}
    case $command in start | restart | run) conceal "$@" ;; esac
    [ $# -eq 0 ] || shift
    case $command in
    help | -h | --help)
        usage
        exit 0
        ;;
    start | stop | restart | status | ready | run | archive) ;;
    *) misused "unknown command: $command" ;;
    esac
    read_flags "$command" "$@"
    address
    "$command"
}

read_flags() {
    local command=$1
    shift
    timeout=60 settings=()
    while [ $# -gt 0 ]; do
        [ $# -ge 2 ] || misused "$1 needs a value"
        case $1 in
        --config) config=$2 ;;
        --pid-file) pid_file=$2 ;;
        --log-file) log_file=$2 ;;
        --timeout | --wait)
            case $2 in '' | *[!0-9]*) misused "$1 needs seconds, not '$2'" ;; esac
            timeout=$2
            ;;
        --set) settings+=("$2") ;;
        *) misused "$command has no option $1" ;;
        esac
        shift 2
    done
    [ -n "${config:-}" ] || misused "$command needs --config FILE"
    [ ! -d "$config" ] || fail "$config is a directory, not a configuration file"
    [ -r "$config" ] || fail "cannot read $config${config_hint:-}"
    : "${pid_file:=${config%.*}.pid}" "${log_file:=${config%.*}.log}"
}
