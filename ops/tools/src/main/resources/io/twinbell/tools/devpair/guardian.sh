#!/bin/sh
# Stops the PostgreSQL that serves the data directory $1 once standard input ends without a word:
# then the process at the other end of the pipe was killed. A word means that it stopped PostgreSQL itself.
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

# A pid file can be stale and its number somebody else's.
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
