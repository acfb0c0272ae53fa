package io.twinbell.node.pair;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.node.access.Refusals;
import io.twinbell.node.api.port.ApiAddress;
import io.twinbell.node.api.port.ApiServer;
import io.twinbell.node.audit.store.AuditRefusals.RefusedAttempt;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.jmx.JmxCaller;
import io.twinbell.node.jmx.JmxServer;
import io.twinbell.node.jmx.LeadershipNotifications;
import io.twinbell.node.jmx.ManagementBeans;
import io.twinbell.node.jmx.NodeViews;
import io.twinbell.node.tls.LiveTls;
import io.twinbell.node.tls.TlsFileException;
import io.twinbell.persistence.actor.Actor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.function.Supplier;
import javax.management.MBeanServer;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registers a node's MBeans, and opens its HTTP and JMX ports, each of which may be switched off. */
final class NodeListeners {
    private static final Logger LOG = LoggerFactory.getLogger(NodeListeners.class);
    private static final int WARM_UP_MILLIS = 5000;

    private final NodeConfig.Listeners config;
    /** Asked only once the node joins: the platform's server takes a tenth of a second to create. */
    private final Supplier<MBeanServer> beanServer;

    private final LiveTls tls;
    private volatile int httpPort;
    private volatile int healthPort;
    private volatile boolean isStarted;
    private ManagementBeans beans;
    private JmxServer jmx;

    NodeListeners(NodeConfig.Listeners config, Supplier<MBeanServer> beanServer) {
        this.config = config;
        this.beanServer = beanServer;
        try {
            tls = LiveTls.read(config.encryption().tls());
        } catch (TlsFileException e) {
            throw new UncheckedIOException("http.tls: " + e.getMessage(), e);
        }
    }

    ApiAddress httpAddress() {
        return new ApiAddress(
                config.http().host(), config.http().port(), config.httpAllowedHosts(), isTls() ? tls : null, health());
    }

    private ApiAddress.HealthAddress health() {
        NodeConfig.Endpoint health = config.encryption().health();
        return health.isEnabled() ? new ApiAddress.HealthAddress(health.host(), health.port()) : null;
    }

    private boolean isTls() {
        return tls.files().isServer();
    }

    /** The keys and authorities for the API and for calls to the other node. */
    LiveTls tls() {
        return tls;
    }

    /** @throws IllegalStateException if the MBean server already shows a node */
    void register(NodeViews views, LeadershipNotifications notifications, MetricRegistry registry) {
        beans = new ManagementBeans(beanServer.get(), views, notifications, registry);
    }

    /** @param refusals receives what JMX refuses, for the audit */
    void start(ApiServer api, Refusals refusals) {
        if (config.jmx().isEnabled()) {
            startJmx(refusals);
        }
        if (config.http().isEnabled()) {
            httpPort = api.start();
            healthPort = api.healthPort();
            warmUpTls();
        }
        isStarted = true;
    }

    /** Whether every listener that is configured has started, so that {@link #url} is known. Any thread. */
    boolean isStarted() {
        return isStarted;
    }

    /**
     * Makes a TLS handshake with this node itself: the first one of a process takes so long that a client with a short
     * limit would give up.
     */
    private void warmUpTls() {
        if (!isTls()) {
            return;
        }
        try (Socket socket = tls.client().getSocketFactory().createSocket()) {
            socket.connect(new InetSocketAddress(localHost(config.http().host()), httpPort), WARM_UP_MILLIS);
            socket.setSoTimeout(WARM_UP_MILLIS);
            ((SSLSocket) socket).startHandshake();
        } catch (IOException e) {
            // A handshake that fails, for example because this node does not trust its own certificate, has warmed up
            // the same code.
            LOG.debug("the handshake with this node itself failed", e);
        }
    }

    private void startJmx(Refusals refusals) {
        try {
            jmx = JmxServer.start(
                    beanServer.get(),
                    config.jmx().host(),
                    config.jmx().port(),
                    config.jmxUsers(),
                    new AuditedRefusals(refusals));
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /** Passes the refusals of the JMX server on to the audit. */
    private record AuditedRefusals(Refusals refusals) implements JmxServer.JmxRefusals {
        @Override
        public void connection(JmxCaller client, String why) {
            add(RefusedAttempt.CONNECT, client, "connect", why);
        }

        @Override
        public void call(JmxCaller caller, String operation, String why) {
            add(RefusedAttempt.REQUEST, caller, operation, why);
        }

        private void add(String act, JmxCaller by, String request, String why) {
            refusals.add(new RefusedAttempt(new Actor(by.name(), Actor.Channel.JMX, by.address(), request), act, why));
        }
    }

    boolean isHttpEnabled() {
        return config.http().isEnabled();
    }

    /** Time until the API's certificate ends; null without TLS, so that a scraper finds no sample. */
    Long certificateSeconds(long nowMillis) {
        return tls.material()
                .end()
                .map(end -> (end.toEpochMilli() - nowMillis) / 1000)
                .orElse(null);
    }

    /** The address of the API, {@code http://host:port} or {@code https://host:port}; empty if it is switched off. */
    String url() {
        return isHttpEnabled()
                ? (isTls() ? "https://" : "http://") + authority(config.http().host(), httpPort)
                : "";
    }

    /**
     * The address that this node's own warm-up calls. It has no TLS: the certificate need not be valid for this node's
     * own calls of tasks.
     */
    String warmUpUrl() {
        return isTls() && isHttpEnabled()
                ? "http://" + authority(localHost(config.encryption().health().host()), healthPort)
                : url();
    }

    private static String authority(String host, int port) {
        return NodeConfig.Endpoint.address(host, Integer.toString(port));
    }

    private static String localHost(String host) {
        return host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
    }

    void closeJmx() {
        if (jmx != null) {
            jmx.close();
        }
        if (beans != null) {
            beans.close();
        }
    }
}
