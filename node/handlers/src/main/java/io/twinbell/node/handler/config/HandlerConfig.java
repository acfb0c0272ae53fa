package io.twinbell.node.handler.config;

import io.twinbell.node.settings.Login;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What tasks may do on this node.
 *
 * @param secrets by name
 */
public record HandlerConfig(
        HttpHandler http, JavaHandler java, SqlHandler sql, ShellHandler shell, Map<String, Secret> secrets) {
    public static final HandlerConfig DEFAULT = new HandlerConfig(
            HttpHandler.DEFAULT, JavaHandler.DEFAULT, SqlHandler.DEFAULT, ShellHandler.DEFAULT, Map.of());

    /**
     * Settings for java handlers.
     *
     * @param plugins the directory of jars with java handlers; null for none
     * @param missing how long after its fire time a slot waits for a master that has its handler, before it fails
     */
    public record JavaHandler(Path plugins, Duration missing) {
        public static final JavaHandler DEFAULT = new JavaHandler(null, Duration.ofMinutes(15));
    }

    /**
     * Settings for the calls of http tasks and alerts.
     *
     * @param allow the only hosts that may be called; empty for every host
     * @param ports blocked ports of other protocols that may be called nevertheless
     * @param callbackUrls the URLs under which receivers reach the nodes of the pair, without a path
     * @param profiles how calls that name one are made, by name
     */
    public record HttpHandler(
            HostList allow, Set<Integer> ports, List<String> callbackUrls, Map<String, CallProfile> profiles) {
        public static final HttpHandler DEFAULT = new HttpHandler(HostList.EMPTY, Set.of());

        /** Callbacks name paths alone, and there are no profiles. */
        public HttpHandler(HostList allow, Set<Integer> ports) {
            this(allow, ports, List.of(), Map.of());
        }
    }

    /**
     * A secret that tasks may use by name.
     *
     * @param hosts the only receivers; empty for every receiver
     * @param apps the only apps whose tasks may use it; empty for every app, and for alerts
     */
    public record Secret(String value, HostList hosts, Set<String> apps) {
        /** Creates a secret for every receiver and app. */
        public Secret(String value) {
            this(value, HostList.EMPTY, Set.of());
        }

        /** Leaves the value out, because configurations are logged. */
        @Override
        public String toString() {
            return "Secret[hosts=" + hosts + ", apps=" + apps + "]";
        }
    }

    /**
     * Settings for statements on the scheduler's own database.
     *
     * @param connections the maximum number of concurrent transactions, including those of transactional java handlers
     * @param login the database role that runs the statements; null if none is configured
     */
    public record SqlHandler(boolean isEnabled, int connections, Login login) {
        public static final SqlHandler DEFAULT = new SqlHandler(false, 8, null);
    }

    /**
     * Settings for commands on the node's host.
     *
     * @param processes the maximum number of concurrent commands
     * @param user the operating system's user that runs the commands; null for the node's own user
     */
    public record ShellHandler(boolean isEnabled, int processes, String user) {
        public static final ShellHandler DEFAULT = new ShellHandler(false, 16, null);

        /** Commands run as the node's own user. */
        public ShellHandler(boolean isEnabled, int processes) {
            this(isEnabled, processes, null);
        }
    }
}
