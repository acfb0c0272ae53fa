package io.twinbell.ha.latch;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/**
 * How this node authenticates to ZooKeeper, and which identities may use the nodes that it creates there.
 *
 * @param user the user of ZooKeeper's digest scheme; null for none
 * @param password null without a user
 * @param identities further identities with all rights, each {@code scheme:id}, such as {@code sasl:twinbell}
 * @param tls how the connection is encrypted
 */
public record ZooKeeperAccess(String user, String password, List<String> identities, Tls tls) {
    /** Every client that reaches ZooKeeper may change everything, and nothing is encrypted. */
    public static final ZooKeeperAccess OPEN = new ZooKeeperAccess(null, null, List.of(), Tls.OFF);

    private static final String DIGEST = "digest";
    private static final Id ANYONE = new Id("world", "anyone");
    /** ZooKeeper replaces it by the identities of the client that creates the node. */
    private static final Id CREATOR = new Id("auth", "");
    /** Several clusters may lie in this folder, each with its own credentials. */
    private static final String SHARED = "/twinbell";

    public ZooKeeperAccess {
        identities = List.copyOf(identities);
    }

    /**
     * The encryption of the connection.
     *
     * @param certificate a file with this node's key and certificate, PEM or PKCS12; null for none
     * @param password of that file; null for none
     * @param authorities a PEM file with the authorities of the servers' certificates; null for those of the Java
     *     runtime
     */
    public record Tls(boolean isOn, Path certificate, String password, Path authorities) {
        /** No encryption. */
        public static final Tls OFF = new Tls(false, null, null, null);

        /** Omits the password. */
        @Override
        public String toString() {
            return "Tls[isOn=" + isOn + ", certificate=" + certificate + ", authorities=" + authorities + "]";
        }
    }

    /** Whether only the pair may use the nodes that it creates. */
    public boolean isClosed() {
        return user != null || !identities.isEmpty();
    }

    void apply(CuratorFrameworkFactory.Builder client) {
        client.zkClientConfig(ClientSettings.make(tls));
        if (user != null) {
            client.authorization(DIGEST, (user + ":" + password).getBytes(StandardCharsets.UTF_8));
        }
        if (isClosed()) {
            client.aclProvider(new PairAclProvider());
        }
    }

    /** The access list of a node with this path. ZooKeeper's client looks for null in it, which List.of refuses. */
    List<ACL> list(String path) {
        if (!isClosed()) {
            return new ArrayList<>(List.of(new ACL(Perms.ALL, ANYONE)));
        }
        List<ACL> list = new ArrayList<>();
        if (user != null) {
            list.add(new ACL(Perms.ALL, CREATOR));
        }
        for (String identity : identities) {
            int colon = identity.indexOf(':');
            list.add(new ACL(Perms.ALL, new Id(identity.substring(0, colon), identity.substring(colon + 1))));
        }
        if (path.equals(SHARED)) {
            list.add(new ACL(Perms.READ | Perms.CREATE, ANYONE));
        }
        return list;
    }

    private final class PairAclProvider implements ACLProvider {
        @Override
        public List<ACL> getDefaultAcl() {
            return list("");
        }

        @Override
        public List<ACL> getAclForPath(String path) {
            return list(path);
        }
    }

    /** Omits the password. */
    @Override
    public String toString() {
        return "ZooKeeperAccess[user=" + user + ", identities=" + identities + ", tls=" + tls + "]";
    }
}
