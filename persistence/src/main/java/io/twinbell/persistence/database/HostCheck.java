package io.twinbell.persistence.database;

import io.twinbell.persistence.clock.Ticker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
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
    private static final String SECONDS = "1";

    private boolean hasLooked;
    private long lookedNanos;

    /**
     * Reports a newer primary to the server history. A host that does not answer costs a second.
     *
     * @param properties those of the session that is being opened
     */
    synchronized void check(DatabaseSettings settings, Properties properties) {
        DatabaseUrl url = new DatabaseUrl(settings.url());
        List<String> hosts = url.hosts();
        boolean isFresh = hasLooked && Ticker.SYSTEM.nanos() - lookedNanos < FRESH_NANOS;
        if (hosts.size() < 2 || isFresh) {
            return;
        }
        Properties hurried = new Properties();
        hurried.putAll(properties);
        List.of("loginTimeout", "connectTimeout", "socketTimeout").forEach(bound -> hurried.put(bound, SECONDS));
        for (String host : hosts) {
            try (Connection connection = DriverManager.getConnection(url.ofHost(host), hurried)) {
                ServerHistory.readPosition(connection)
                        .ifPresent(position -> settings.servers().seen(position, host));
            } catch (SQLException e) {
                LOG.debug("{} is not a reachable primary", host, e);
            }
        }
        hasLooked = true;
        lookedNanos = Ticker.SYSTEM.nanos();
    }
}
