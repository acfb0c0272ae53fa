# shellcheck shell=bash
# Just enough HTTP to read the health checks of a node, without curl or another program that a machine may lack.

# port_answers HOST PORT: succeeds if a process listens there.
port_answers() {
    (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null
}

# http_code HOST PORT PATH: prints the status code, or nothing if none arrives within two seconds.
http_code() (
    exec 3<>"/dev/tcp/$1/$2" || exit 0
    printf 'GET %s HTTP/1.0\r\nHost: %s:%s\r\nConnection: close\r\n\r\n' "$3" "$1" "$2" >&3
    read -r -t 2 _ code _ <&3 || exit 0
    printf '%s\n' "$code"
) 2>/dev/null

# http_body HOST PORT PATH: prints the response, or nothing if none arrives within two seconds.
http_body() (
    exec 3<>"/dev/tcp/$1/$2" || exit 0
    printf 'GET %s HTTP/1.0\r\nHost: %s:%s\r\nConnection: close\r\n\r\n' "$3" "$1" "$2" >&3
    while read -r -t 2 line <&3 || [ -n "$line" ]; do
        printf '%s\n' "$line"
        [ "${line#\{}" = "$line" ] || exit 0
    done
) 2>/dev/null
