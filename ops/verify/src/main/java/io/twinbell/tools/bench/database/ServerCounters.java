package io.twinbell.tools.bench.database;

/** The server's counters: bytes of write-ahead log of the whole server, and commits in this database. */
public record ServerCounters(long walBytes, long commits) {
    public ServerCounters since(ServerCounters before) {
        return new ServerCounters(walBytes - before.walBytes, commits - before.commits);
    }
}
