package io.twinbell.ops.bench.database;

/** What the server has counted so far: bytes of write-ahead log of all, and commits in this database. */
public record Counters(long walBytes, long commits) {
    public Counters since(Counters before) {
        return new Counters(walBytes - before.walBytes, commits - before.commits);
    }
}
