package io.twinbell.persistence.database;

import io.twinbell.persistence.clock.Ticker;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks every host of the URL when sessions are opened, before the first session is used. A former primary may have
 * come back, and the driver would choose it if the URL names it before its successor. Sessions that are opened together
 * share one check. Thread-safe.
 */
final class HostCheck {
    private static final Logger LOG = LoggerFactory.getLogger(HostCheck.class);
    private static final long FRESH_NANOS = 1_000_000_000L;
    /** The kernel of a living host answers within this time, however busy its processes are. */
    private static final String CONNECT_SECONDS = "1";

    /** A busy server may take longer to begin a session, and a former primary that is not asked might be used. */
    private static final String ANSWER_SECONDS = "2";

    private final Question question;
    private CompletableFuture<List<Primary>> latest;
    private volatile long answeredNanos;

    /** A host that accepts writes. */
    record Primary(String host, ServerHistory.Position position) {}

    /** Asks one host; empty if it is no primary, or does not answer. */
    interface Question {
        Optional<ServerHistory.Position> ask(DatabaseSettings settings, String host, Properties properties);
    }

    HostCheck() {
        this(HostCheck::ask);
    }

    HostCheck(Question question) {
        this.question = question;
    }

    /**
     * Begins to ask all hosts at the same time for their positions. The driver may open the session meanwhile, so a
     * host that does not answer costs a second, and not one for each.
     *
     * @param properties those of the session that is being opened
     * @return the primaries, once each host has answered or has failed to do so within about two seconds; it never
     *     completes exceptionally
     */
    synchronized CompletableFuture<List<Primary>> begin(DatabaseSettings settings, Properties properties) {
        List<String> hosts = new DatabaseUrl(settings.url()).hosts();
        if (hosts.size() < 2) {
            return CompletableFuture.completedFuture(List.of());
        }
        boolean isUsable = latest != null && (!latest.isDone() || Ticker.SYSTEM.nanos() - answeredNanos < FRESH_NANOS);
        if (!isUsable) {
            List<CompletableFuture<Optional<Primary>>> answers = hosts.stream()
                    .map(host -> CompletableFuture.supplyAsync(
                            () -> primary(settings, host, properties),
                            task -> thread(task, host).start()))
                    .toList();
            latest = CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                    .thenApply(all -> {
                        answeredNanos = Ticker.SYSTEM.nanos();
                        return answers.stream()
                                .flatMap(answer -> answer.join().stream())
                                .toList();
                    });
        }
        return latest;
    }

    private Optional<Primary> primary(DatabaseSettings settings, String host, Properties properties) {
        try {
            return question.ask(settings, host, properties).map(position -> new Primary(host, position));
        } catch (RuntimeException e) {
            LOG.warn("{} cannot be asked for its position", host, e);
            return Optional.empty();
        }
    }

    private static Optional<ServerHistory.Position> ask(DatabaseSettings settings, String host, Properties properties) {
        Properties hurried = new Properties();
        hurried.putAll(properties);
        hurried.put("connectTimeout", CONNECT_SECONDS);
        hurried.put("loginTimeout", ANSWER_SECONDS);
        hurried.put("socketTimeout", ANSWER_SECONDS);
        String url = new DatabaseUrl(settings.url()).ofHost(host);
        try (Connection connection = settings.servers().options().connect(url, hurried)) {
            return ServerHistory.readPosition(settings.schema().on(connection));
        } catch (SQLException e) {
            LOG.debug("{} is not a reachable primary", host, e);
            return Optional.empty();
        }
    }

    /** Nobody stops it: what it does ends within about two seconds. */
    private static Thread thread(Runnable task, String host) {
        Thread thread = new Thread(task, "host-check " + host);
        thread.setDaemon(true);
        return thread;
    }
}
