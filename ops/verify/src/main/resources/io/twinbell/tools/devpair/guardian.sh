#!/bin/sh
# Stops the PostgreSQL of the data directory $1 if the process at the other end of standard input is killed: then the
# input ends without a line. If that process stops PostgreSQL itself, it writes a line, and this script just ends.
trap '' HUP INT TERM
data=$1

IFS= read -r relieved && exit 0

# The parent may have died while PostgreSQL was starting, so give its pid file a moment to appear.
tries=0
until [ -s "$data/postmaster.pid" ]; do
    [ "$tries" -lt 20 ] || exit 0
    tries=$((tries + 1))
    sleep 0.1
done
IFS= read -r pid <"$data/postmaster.pid"

# The pid file can be stale, and its pid can belong to another process.
if [ -r "/proc/$pid/cmdline" ]; then
    command=$(tr '\0' ' ' <"/proc/$pid/cmdline")
else
    command=$(ps -ww -o command= -p "$pid")
fi
case $command in
*"$data"*) ;;
*) exit 0 ;;
esac

kill -INT "$pid"
tries=0
while kill -0 "$pid"; do
    [ "$tries" -ne 15 ] || kill -QUIT "$pid"
    [ "$tries" -lt 50 ] || exit 1
    tries=$((tries + 1))
    sleep 0.1
done
