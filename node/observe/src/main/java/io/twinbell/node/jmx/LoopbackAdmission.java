package io.twinbell.node.jmx;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which JMX connections to accept: those of the node's own user, root and the configured users of this machine.
 * Linux reports the user of a connection; if the user is unknown, the connection is refused.
 */
final class LoopbackAdmission {
    private static final Logger LOG = LoggerFactory.getLogger(LoopbackAdmission.class);
    private static final long ROOT = 0;
    /** Limit of open connections, above the number of clients that a node has. Each connection keeps a thread. */
    private static final int CONNECTIONS = 200;

    /** Limit of logged reasons. Each reason is logged once, so that a flood of attempts does not fill the log. */
    private static final int LOGGED = 64;

    private final boolean admitsAllLocal;
    private final Set<Long> users;
    private final SocketOwners owners;
    private final JmxServer.JmxRefusals refusals;
    private final Set<String> logged = new HashSet<>();

    private LoopbackAdmission(
            boolean admitsAllLocal, Set<Long> users, SocketOwners owners, JmxServer.JmxRefusals refusals) {
        this.admitsAllLocal = admitsAllLocal;
        this.users = users;
        this.owners = owners;
        this.refusals = refusals;
    }

    /** @throws IOException if a configured user does not exist; the message names the key */
    static LoopbackAdmission of(LocalUsers local, JmxServer.JmxRefusals refusals) throws IOException {
        if (local.isEverybody()) {
            return new LoopbackAdmission(true, Set.of(), ownersIfShown(), refusals);
        }
        Set<Long> users = local.ids();
        try {
            users.add(SocketOwners.ownUser());
            users.add(ROOT);
            return new LoopbackAdmission(false, users, SocketOwners.ofThisMachine(), refusals);
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "JMX refuses every connection, because the system does not show which user a connection belongs"
                            + " to ({}). Set jmx.localUsers to \"*\" to admit every user of this machine",
                    e.toString());
            return new LoopbackAdmission(false, Set.of(), null, refusals);
        }
    }

    /** Returns null if the system does not show the users of connections: then the audit cannot name them. */
    private static SocketOwners ownersIfShown() {
        try {
            return SocketOwners.ofThisMachine();
        } catch (IOException | RuntimeException e) {
            LOG.info("The audit cannot name local users of JMX: the system does not show them ({})", e.toString());
            return null;
        }
    }

    /** For tests: admits only these users. */
    static LoopbackAdmission of(Set<Long> users, SocketOwners owners, JmxServer.JmxRefusals refusals) {
        return new LoopbackAdmission(false, users, owners, refusals);
    }

    /**
     * Admits a connection, or refuses it. One thread calls this at a time.
     *
     * @param open the number of open connections
     * @return the client; empty if the connection is refused
     */
    Optional<JmxCaller> admit(InetSocketAddress client, InetSocketAddress server, int open) {
        if (open >= CONNECTIONS) {
            return refuseUnknown(client, CONNECTIONS + " connections are open, which is the limit");
        }
        if (admitsAllLocal) {
            // A machine may be set up to forward what others send to its loopback address.
            return client.getAddress().isLoopbackAddress()
                    ? Optional.of(named(client, server))
                    : refuseUnknown(client, "JMX serves this machine only");
        }
        return ofAdmittedUser(client, server);
    }

    private JmxCaller named(InetSocketAddress client, InetSocketAddress server) {
        try {
            OptionalLong user = owners == null ? OptionalLong.empty() : owners.userOf(client, server);
            if (user.isPresent()) {
                return JmxCaller.of(user.getAsLong(), client.getAddress());
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug("the user of a JMX connection cannot be determined", e);
        }
        return JmxCaller.unnamed(client.getAddress());
    }

    private Optional<JmxCaller> ofAdmittedUser(InetSocketAddress client, InetSocketAddress server) {
        if (owners == null) {
            return refuseUnknown(client, "the system does not show which user a connection belongs to");
        }
        try {
            OptionalLong user = owners.userOf(client, server);
            if (user.isEmpty()) {
                return refuseUnknown(client, "its local user is unknown; JMX serves this machine only");
            }
            JmxCaller caller = JmxCaller.of(user.getAsLong(), client.getAddress());
            return users.contains(user.getAsLong())
                    ? Optional.of(caller)
                    : refuse(caller, "only the node's own user, root and jmx.localUsers may connect");
        } catch (IOException | RuntimeException e) {
            return refuseUnknown(client, "its user cannot be determined: " + e);
        }
    }

    private Optional<JmxCaller> refuseUnknown(InetSocketAddress client, String why) {
        return refuse(new JmxCaller("unknown user", client.getAddress().getHostAddress()), why);
    }

    private Optional<JmxCaller> refuse(JmxCaller client, String why) {
        refusals.connection(client, why);
        String line = "a connection of " + client.name() + " from " + client.address() + ": " + why;
        if (logged.size() < LOGGED && logged.add(line)) {
            LOG.warn("JMX refuses {}; this is logged once", line);
        }
        return Optional.empty();
    }
}
