package io.twinbell.node.pair;

import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.token.AdminToken;
import io.twinbell.node.access.token.TokenBook;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.config.NodeConfig.HttpAccess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Builds the access policy of the API from the configuration. */
final class NodeAccess {
    private static final Principal READER =
            new Principal("a client without a token", AccessRole.VIEWER, Set.of(), Set.of());

    private NodeAccess() {}

    static AccessPolicy policy(NodeConfig.Listeners listeners, TokenBook tokens) {
        HttpAccess access = listeners.access();
        if (!listeners.http().isEnabled() || access.mode() == HttpAccess.Mode.OPEN) {
            return AccessPolicy.OPEN;
        }
        try {
            return new AccessPolicy(
                    access.mode() == HttpAccess.Mode.READ ? Optional.of(READER) : Optional.empty(),
                    List.of(AdminToken.of(access.adminToken()), tokens),
                    "; the first one is in the file that http.adminToken names on the node's machine");
        } catch (IOException e) {
            throw new UncheckedIOException("http.adminToken: " + e.getMessage(), e);
        }
    }
}
