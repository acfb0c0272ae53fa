# shellcheck shell=bash
# Daemons and their pid files. A pid file contains the pid of a process and the time when the process was born. The system
# reuses pids; with that time, these functions signal only the process that was started.

# Prints when the process was born. Fails if the process has ended; a zombie has ended too.
born() {
    local stat
    if [ -r /proc/self/stat ]; then
        { IFS= read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
        # The name in parentheses may contain spaces. The state and the start time are the 1st and the 20th field after it.
        # shellcheck disable=SC2086
        set -- ${stat##*) }
        [ "$1" != Z ] && [ "$1" != X ] && printf '%s\n' "${20}@$(cat /proc/sys/kernel/random/boot_id)"
    else
        stat=$(ps -o state= -o lstart= -p "$1" 2>/dev/null) || return 1
        case $stat in Z*) return 1 ;; esac
        # shellcheck disable=SC2086
        set -- $stat
        shift
        printf '%s\n' "$*"
    fi
}

# Succeeds and sets pid while the process of the pid file runs.
running() {
    local birth
    pid=
    [ -r "$1" ] || return 1
    { read -r pid && IFS= read -r birth; } <"$1" || return 1
    is_born "$pid" "$birth" || {
        pid=
        return 1
    }
}

# Succeeds if the process was born at this time. In a container of systemd-nspawn, units read another boot id than shells.
# So if only the boot id differs, the command line of the process must contain "twinbell".
is_born() {
    local birth
    birth=$(born "$1") || return 1
    [ "$birth" = "$2" ] && return 0
    [ "${birth%%@*}" = "${2%%@*}" ] && grep -qa twinbell "/proc/$1/cmdline" 2>/dev/null
}

frozen() {
    local state
    if [ -r "/proc/$1/stat" ]; then
        IFS= read -r state <"/proc/$1/stat"
        state=${state##*) }
    else
        state=$(ps -o state= -p "$1")
    fi
    case $state in T*) return 0 ;; *) return 1 ;; esac
}

# remember PIDFILE PID
remember() {
    printf '%s\n%s\n' "$2" "$(born "$2")" >"$1.draft"
    mv "$1.draft" "$1"
}

# Keeps the last three logs: run.log becomes run.log.1 and so on. If the user may only write the file, it is written anew.
rotate() {
    { [ -s "$1" ] && [ -w "$(dirname "$1")" ]; } || return 0
    [ ! -f "$1.2" ] || mv "$1.2" "$1.3"
    [ ! -f "$1.1" ] || mv "$1.1" "$1.2"
    mv "$1" "$1.1"
}

# spawn PIDFILE LOG COMMAND...: starts a daemon, if possible in its own session, so that neither the end of the terminal
# nor Ctrl-C stops it.
spawn() {
    local pidfile=$1 log=$2 detach=nohup
    shift 2
    ! command -v setsid >/dev/null 2>&1 || detach=setsid
    rotate "$log"
    "$detach" "$@" </dev/null >"$log" 2>&1 &
    remember "$pidfile" "$!"
}

# await_end PIDFILE TENTHS: fails if the process still runs after so many tenths of a second.
await_end() {
    local left=$2
    while running "$1"; do
        [ "$left" -gt 0 ] || return 1
        left=$((left - 1))
        sleep 0.1
    done
    rm -f "$1"
}

# terminate PIDFILE TENTHS: sends SIGTERM, and SIGKILL if the process does not end in time. Succeeds if it does not run.
terminate() {
    running "$1" || {
        rm -f "$1"
        return 0
    }
    kill -TERM "$pid" 2>/dev/null || true
    # A frozen process handles the signal only when it runs again.
    kill -CONT "$pid" 2>/dev/null || true
    await_end "$1" "$2" || {
        kill -KILL "$pid" 2>/dev/null || true
        await_end "$1" 100
    }
}
