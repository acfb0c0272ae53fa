package io.twinbell.tools.bench.database;

/** What the server has counted so far: bytes of write-ahead log of all, and commits in this database. */
public record ServerCounters(long walBytes, long commits) {
    public ServerCounters since(ServerCounters before) {
        return new ServerCounters(walBytes - before.walBytes, commits - before.commits);
    }
}
