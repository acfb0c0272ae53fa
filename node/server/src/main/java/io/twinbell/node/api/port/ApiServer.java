package io.twinbell.node.api.port;

import io.twinbell.node.api.access.ApiAccess;
import io.twinbell.node.api.cluster.ClusterView;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.stream.ChangeStream;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.persistence.clock.Ticker;
import java.util.List;
import java.util.ServiceLoader;

/** The HTTP API server of one node. */
public interface ApiServer {
    /** The server of a node without an API. */
    ApiServer NONE = new ApiServer() {
        @Override
        public int start() {
            throw new IllegalStateException("http.enabled is false");
        }

        @Override
        public int healthPort() {
            return 0;
        }

        @Override
        public void stop() {}
    };

    /** Creates servers. The artifact that has the API names its provider as a service. */
    interface Provider {
        ApiServer create(
                ApiAddress address,
                ApiAccess access,
                ApiStores stores,
                ChangeStream changes,
                ClusterView cluster,
                Ticker ticker);
    }

    /**
     * Finds the provider on the class path.
     *
     * @throws ConfigException if there is none
     */
    static Provider provider() {
        return ServiceLoader.load(Provider.class, ApiServer.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new ConfigException(
                        List.of("http.enabled is true, but the API is not on the class path: add the artifact"
                                + " io.twinbell:twinbell-embedded-server, or set http.enabled to false")));
    }

    /**
     * Starts the server; returns once it accepts requests.
     *
     * @return the port that it listens on
     * @throws PortTakenException if another process has the port
     */
    int start();

    /** The port for health checks only; 0 if there is none. */
    int healthPort();

    /**
     * Stops the server and lets running requests finish, for five seconds at most. Does nothing if it is not running.
     */
    void stop();
}
