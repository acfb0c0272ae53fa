package io.twinbell.tools.drill.own;

import io.twinbell.tools.drill.stage.DrilledPair;

/** Who listens where: a block of ports from a first one on, the same on one host and on several. */
record PortBlock(int first) {
    /** Of one pair, and of a copy of it. */
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

    /** Of the second PostgreSQL, where there is one. */
    int secondDatabase() {
        return first + 5;
    }

    /** Of a member of the ensemble: where its clients come. */
    int clients(String member) {
        return first + ENSEMBLE + PER_MEMBER * ComponentHosts.ENSEMBLE.indexOf(member);
    }

    int quorum(String member) {
        return clients(member) + 1;
    }

    int election(String member) {
        return clients(member) + 2;
    }

    /** Of the proxy between a node and a server. */
    int proxy(String node, String server) {
        return first
                + PROXIES
                + PER_NODE * DrilledPair.NODES.indexOf(node)
                + ComponentHosts.ENSEMBLE.indexOf(server)
                + 1;
    }
}
