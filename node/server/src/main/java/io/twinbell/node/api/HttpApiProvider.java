package io.twinbell.node.api;

import io.twinbell.node.api.access.ApiAccess;
import io.twinbell.node.api.cluster.ClusterView;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.port.ApiAddress;
import io.twinbell.node.api.port.ApiServer;
import io.twinbell.node.api.stream.ChangeStream;
import io.twinbell.persistence.clock.Ticker;

/** Creates the HTTP API, if this artifact is on the class path. */
public final class HttpApiProvider implements ApiServer.Provider {
    @Override
    public ApiServer create(
            ApiAddress address,
            ApiAccess access,
            ApiStores stores,
            ChangeStream changes,
            ClusterView cluster,
            Ticker ticker) {
        return new HttpApi(address, access, stores, changes, cluster, ticker);
    }
}
