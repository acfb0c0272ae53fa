package io.twinbell.ops.jmx;

import io.twinbell.ops.jmx.JmxSecurity.LocalUsers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which JMX connections to accept. Where neither passwords nor certificates are required, it accepts only
 * connections of the node's own user, root and the configured users of this machine. Linux tells the user of a
 * connection; if the user is unknown, the connection is refused.
 */
final class LoopbackAdmission {
    private static final Logger LOG = LoggerFactory.getLogger(LoopbackAdmission.class);
    private static final long ROOT = 0;
    /** Limit of open connections, above the number of clients that a node has. Each connection keeps a thread. */
    private static final int CONNECTIONS = 200;

    /** Limit of logged reasons. Each reason is logged once, so that a flood of attempts does not fill the log. */
    private static final int LOGGED = 64;

    private final boolean asksForProof;
    private final boolean admitsAllLocal;
    private final Set<Long> users;
    private final SocketOwners owners;
    private final Set<String> logged = new HashSet<>();

    private LoopbackAdmission(boolean asksForProof, boolean admitsAllLocal, Set<Long> users, SocketOwners owners) {
        this.asksForProof = asksForProof;
        this.admitsAllLocal = admitsAllLocal;
        this.users = users;
        this.owners = owners;
    }

    /** @throws IOException if a configured user does not exist; the message names the key */
    static LoopbackAdmission of(JmxSecurity security) throws IOException {
        LocalUsers local = security.localUsers();
        boolean proof = security.asksForProof();
        if (proof || local.isEverybody()) {
            return new LoopbackAdmission(proof, true, Set.of(), null);
        }
        Set<Long> users = local.ids();
        try {
            users.add(SocketOwners.ownUser());
            users.add(ROOT);
            return new LoopbackAdmission(false, false, users, SocketOwners.ofThisMachine());
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "JMX refuses every connection: this system does not tell whose a connection is ({}). Set jmx.passwords"
                            + " ('twinbell jmx-init'), or jmx.localUsers to \"*\" if every user of this machine may come in",
                    e.toString());
            return new LoopbackAdmission(false, false, Set.of(), null);
        }
    }

    /** For tests: admits only these users. */
    static LoopbackAdmission of(Set<Long> users, SocketOwners owners) {
        return new LoopbackAdmission(false, false, users, owners);
    }

    /**
     * Whether a connection is admitted. One thread calls this at a time.
     *
     * @param open the number of open connections
     */
    boolean admits(InetSocketAddress client, InetSocketAddress server, int open) {
        if (open >= CONNECTIONS) {
            return refuse("one of " + client.getAddress().getHostAddress(), CONNECTIONS + " are open");
        }
        if (asksForProof) {
            return true;
        }
        if (admitsAllLocal) {
            // Both ends of a connection within one machine have addresses of that machine.
            return client.getAddress().isLoopbackAddress()
                    || client.getAddress().equals(server.getAddress())
                    || refuse(
                            "one of " + client.getAddress().getHostAddress(),
                            "from another machine JMX wants jmx.passwords, see 'twinbell jmx-init'");
        }
        return belongsToAdmittedUser(client, server);
    }

    private boolean belongsToAdmittedUser(InetSocketAddress client, InetSocketAddress server) {
        if (owners == null) {
            return false;
        }
        String origin = "one of " + client.getAddress().getHostAddress();
        try {
            OptionalLong user = owners.userOf(client, server);
            if (user.isEmpty()) {
                return refuse(
                        origin,
                        "it cannot be told which user of this machine it is of; others want jmx.passwords, see"
                                + " 'twinbell jmx-init'");
            }
            return users.contains(user.getAsLong())
                    || refuse(
                            "one of user id " + user.getAsLong(),
                            "without jmx.passwords only the node's own user, root and jmx.localUsers may come in");
        } catch (IOException | RuntimeException e) {
            return refuse(origin, "the system does not tell whose it is: " + e);
        }
    }

    private boolean refuse(String which, String why) {
        String line = which + ": " + why;
        if (logged.size() < LOGGED && logged.add(line)) {
            LOG.warn("JMX refuses a connection, {}; this is logged once", line);
        }
        return false;
    }
}
