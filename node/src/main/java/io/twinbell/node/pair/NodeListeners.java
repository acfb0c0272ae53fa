package io.twinbell.node.pair;

import io.twinbell.node.api.HttpApi;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.ops.jmx.JmxServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.management.MBeanServer;

/** Opens a node's HTTP and JMX ports, each of which may be switched off. */
final class NodeListeners {
    private final NodeConfig.Listeners config;
    private final MBeanServer beans;
    private volatile int httpPort;
    private JmxServer jmx;

    NodeListeners(NodeConfig.Listeners config, MBeanServer beans) {
        this.config = config;
        this.beans = beans;
    }

    HttpApi.Address httpAddress() {
        return new HttpApi.Address(config.http().host(), config.http().port(), config.httpAllowedHosts());
    }

    void start(HttpApi api) {
        if (config.jmx().isEnabled()) {
            startJmx();
        }
        if (config.http().isEnabled()) {
            httpPort = api.start();
        }
    }

    private void startJmx() {
        try {
            jmx = JmxServer.start(beans, config.jmx().host(), config.jmx().port(), config.security());
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    boolean isHttpEnabled() {
        return config.http().isEnabled();
    }

    /** The address of the API, {@code http://host:port}; empty if it is switched off. */
    String url() {
        return isHttpEnabled() ? "http://" + config.http().host() + ":" + httpPort : "";
    }

    void closeJmx() {
        if (jmx != null) {
            jmx.close();
        }
    }
}
