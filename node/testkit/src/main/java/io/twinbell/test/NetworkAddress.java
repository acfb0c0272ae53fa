package io.twinbell.test;

import java.util.ArrayList;
import java.util.List;

/** Where a server listens. */
record NetworkAddress(String host, int port) {
    private static final int ZOOKEEPER_PORT = 2181;

    /** Reads {@code host:port,host:port}; a missing port is that of ZooKeeper. */
    static List<NetworkAddress> list(String text) {
        List<NetworkAddress> addresses = new ArrayList<>();
        for (String one : text.split(",")) {
            int colon = one.lastIndexOf(':');
            addresses.add(
                    colon < 0 || one.endsWith("]")
                            ? new NetworkAddress(one.strip(), ZOOKEEPER_PORT)
                            : new NetworkAddress(
                                    one.substring(0, colon).strip(),
                                    Integer.parseInt(one.substring(colon + 1).strip())));
        }
        return addresses;
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
