package io.twinbell.node.handler.http;

import io.twinbell.node.template.HttpUrl;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses ports of other protocols, to which an HTTP call could smuggle commands. These are the ports from 20 up that
 * browsers refuse (the "bad ports" of the Fetch standard), and the usual ports of ZooKeeper, MySQL, PostgreSQL, Redis
 * and memcached. The protocols on ports below 20 take no commands.
 */
final class BlockedPorts {
    private static final Set<Integer> BLOCKED = Set.of(
            20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117,
            119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548,
            554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 2181, 3306, 3659, 4045, 4190,
            5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211);

    private final Set<Integer> opened;

    /** @param opened ports that may be called nevertheless */
    BlockedPorts(Set<Integer> opened) {
        this.opened = Set.copyOf(opened);
    }

    Optional<String> refusal(HttpUrl url) {
        int port = url.realPort();
        return BLOCKED.contains(port) && !opened.contains(port)
                ? Optional.of(
                        "the port " + port
                                + " belongs to another protocol; to allow it, add it to handlers.http.ports in the node's configuration")
                : Optional.empty();
    }
}
