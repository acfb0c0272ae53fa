package io.twinbell.node.handler.http;

import io.twinbell.node.handler.config.CallProfile;
import io.twinbell.node.json.NearestName;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.node.template.HttpUrl;
import io.twinbell.node.tls.LiveTls;
import io.twinbell.node.tls.TlsFileException;
import io.twinbell.persistence.clock.DatabaseClock;
import java.net.SocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.net.NamedEndpoint;
import org.apache.hc.core5.reactor.ssl.TransportSecurityLayer;
import org.apache.hc.core5.util.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The profiles of http calls that this node has: which calls may use them, and their connections. */
final class CallProfiles implements AutoCloseable {
    static final String KEY = "handlers.http.profiles.";
    private static final Logger LOG = LoggerFactory.getLogger(CallProfiles.class);
    private static final long REFRESH_MILLIS = 2000;

    private final DatabaseClock clock;
    private final Map<String, OpenProfile> byName = new TreeMap<>();

    /** @throws ConfigException if a file of a profile cannot be used */
    CallProfiles(Map<String, CallProfile> configured, CallTargets targets, DatabaseClock clock) {
        this.clock = clock;
        configured.forEach((name, profile) -> byName.put(name, new OpenProfile(name, profile, targets)));
    }

    Set<String> names() {
        return Set.copyOf(byName.keySet());
    }

    /**
     * Returns why an app's call to a receiver cannot use the profile; empty if it can.
     *
     * @param app null for an alert, which belongs to no app
     */
    Optional<String> refusal(String name, String app, HttpUrl receiver) {
        OpenProfile open = byName.get(name);
        if (open == null) {
            String known = byName.isEmpty() ? "has no http profiles" : "has no http profile \"" + name + "\"";
            return Optional.of("this node " + known + NearestName.hint(name, byName.keySet())
                    + (byName.isEmpty() ? "; add " + KEY + name + " to its configuration" : ""));
        }
        CallProfile profile = open.profile;
        if (!profile.apps().isEmpty() && (app == null || !profile.apps().contains(app))) {
            return Optional.of("the http profile " + name + " is not for "
                    + (app == null ? "an alert, because an alert has no app" : "the app \"" + app + "\"") + "; " + KEY
                    + name + ".apps in the node's configuration lists the apps that may use it");
        }
        return profile.hosts().isEmpty() || profile.hosts().names(receiver.host())
                ? Optional.empty()
                : Optional.of("the http profile " + name + " is not for calls to " + receiver.host() + "; " + KEY + name
                        + ".hosts in the node's configuration lists the hosts that it may call");
    }

    /** Returns why no receiver would accept the profile's certificate now; empty if one may. */
    Optional<String> expired(String name) {
        return byName.get(name)
                .files
                .material()
                .end()
                .filter(end -> end.toEpochMilli() <= clock.nowMillis())
                .map(end -> "the client certificate of the http profile " + name + " ended at " + end);
    }

    /** Returns when the certificate ends that the profile would present now; empty without one. */
    Optional<Instant> certificateEnd(String name) {
        return byName.get(name).certificateEnd(clock.nowMillis());
    }

    /**
     * Returns the connections of a profile that this node has. The first use opens them.
     *
     * @throws IllegalStateException after {@link #close}
     */
    HttpTransport transport(String name) {
        return byName.get(name).transport(clock.nowMillis());
    }

    @Override
    public void close() {
        byName.values().forEach(OpenProfile::close);
    }

    private static final class OpenProfile {
        private final String name;
        private final CallProfile profile;
        private final CallTargets targets;
        private final LiveTls files;
        private HttpTransport transport;
        private long refreshedAtMillis;
        private boolean closed;

        OpenProfile(String name, CallProfile profile, CallTargets targets) {
            this.name = name;
            this.profile = profile;
            this.targets = targets;
            try {
                files = LiveTls.read(profile.tls());
            } catch (TlsFileException e) {
                throw new ConfigException(List.of(KEY + name + ": " + e.getMessage()));
            }
        }

        synchronized HttpTransport transport(long nowMillis) {
            if (closed) {
                throw new IllegalStateException("this node has stopped");
            }
            refresh(nowMillis);
            if (transport == null) {
                transport = new HttpTransport(new CallRoute(
                        "http-" + name, targets, new ProfileTls(files), profile.proxy(), profile.hosts()));
            }
            return transport;
        }

        synchronized Optional<Instant> certificateEnd(long nowMillis) {
            refresh(nowMillis);
            return files.material().end();
        }

        private void refresh(long nowMillis) {
            // The clock may be set back.
            if (Math.abs(nowMillis - refreshedAtMillis) >= REFRESH_MILLIS) {
                refreshedAtMillis = nowMillis;
                refreshFiles();
            }
        }

        private void refreshFiles() {
            switch (files.refresh()) {
                case RENEWED ->
                    LOG.info(
                            "the http profile {} uses new TLS files{}",
                            name,
                            files.material().end().map(OpenProfile::ending).orElse(""));
                case UNUSABLE ->
                    LOG.warn(
                            "the http profile {} goes on with its previous TLS files, because the new ones cannot be"
                                    + " used: {}",
                            name,
                            files.problem().orElse(""));
                case NONE -> {}
            }
        }

        private static String ending(Instant end) {
            return "; its client certificate ends at " + end;
        }

        synchronized void close() {
            closed = true;
            if (transport != null) {
                transport.close();
            }
        }
    }

    /** Encrypts each new connection with the latest client certificate and authorities of a profile. */
    private static final class ProfileTls implements TlsStrategy {
        private final LiveTls files;
        private SSLContext context;
        private TlsStrategy strategy;

        ProfileTls(LiveTls files) {
            this.files = files;
        }

        private synchronized TlsStrategy latest() {
            SSLContext now = files.client();
            if (strategy == null || now != context) {
                context = now;
                strategy = CallRoute.tls(now);
            }
            return strategy;
        }

        @Override
        public void upgrade(
                TransportSecurityLayer layer,
                NamedEndpoint endpoint,
                Object attachment,
                Timeout handshakeTimeout,
                FutureCallback<TransportSecurityLayer> callback) {
            latest().upgrade(layer, endpoint, attachment, handshakeTimeout, callback);
        }

        /** Only clients of an older interface call this, but the interface requires it. */
        @Override
        @SuppressWarnings("deprecation")
        public boolean upgrade(
                TransportSecurityLayer layer,
                HttpHost host,
                SocketAddress local,
                SocketAddress remote,
                Object attachment,
                Timeout handshakeTimeout) {
            return latest().upgrade(layer, host, local, remote, attachment, handshakeTimeout);
        }
    }
}
