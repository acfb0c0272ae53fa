package io.twinbell.lab.own;

import io.twinbell.lab.stage.DrilledPair;

/**
 * Assigns the components' ports in a block from a first port on. The ports are the same on one host and on several.
 */
record PortBlock(int first) {
    /** The ports of one pair and of its clone. */
    static final int COUNT = 60;

    static final int OF_A_PAIR = 40;
    private static final int ENSEMBLE = 10;
    private static final int PROXIES = 20;
    private static final int PER_MEMBER = 3;
    private static final int PER_NODE = 10;

    int http(String node) {
        return first + DrilledPair.NODES.indexOf(node);
    }

    int jmx(String node) {
        return first + 2 + DrilledPair.NODES.indexOf(node);
    }

    int database() {
        return first + 4;
    }

    /** The port of the second PostgreSQL server, if there is one. */
    int secondDatabase() {
        return first + 5;
    }

    /** The client port of an ensemble member. */
    int clients(String member) {
        return first + ENSEMBLE + PER_MEMBER * ComponentHosts.ENSEMBLE.indexOf(member);
    }

    int quorum(String member) {
        return clients(member) + 1;
    }

    int election(String member) {
        return clients(member) + 2;
    }

    /** The port of the proxy between a node and a server. */
    int proxy(String node, String server) {
        return first
                + PROXIES
                + PER_NODE * DrilledPair.NODES.indexOf(node)
                + ComponentHosts.ENSEMBLE.indexOf(server)
                + 1;
    }
}
