package io.twinbell.node.config;

import io.twinbell.ha.latch.ZooKeeperAccess;
import io.twinbell.node.settings.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Reads how the node authenticates to ZooKeeper, and which identities may use the nodes that it creates there. */
final class ZooKeeperAccessReader {
    private static final Pattern USER = Pattern.compile("[^:\\s]{1,100}");
    private static final Pattern IDENTITY = Pattern.compile("(sasl|x509|digest|ip):\\S.{0,500}");

    private ZooKeeperAccessReader() {}

    static ZooKeeperAccess read(Settings settings) {
        String password = settings.optional(ConfigKeys.ZOOKEEPER_PASSWORD);
        String user = settings.optional(ConfigKeys.ZOOKEEPER_USER) == null
                ? null
                : settings.text(ConfigKeys.ZOOKEEPER_USER, USER, "a name without \":\"");
        if ((user == null) != (password == null)) {
            settings.error(ConfigKeys.ZOOKEEPER_USER + " and " + ConfigKeys.ZOOKEEPER_PASSWORD
                    + " belong together: set both, or none");
        }
        return new ZooKeeperAccess(user, password, identities(settings), tls(settings));
    }

    /** Names of certificates contain commas. */
    private static List<String> identities(Settings settings) {
        List<String> identities = new ArrayList<>();
        for (String entry : settings.optional(ConfigKeys.ZOOKEEPER_ACL).split(";")) {
            String identity = entry.strip();
            if (IDENTITY.matcher(identity).matches()) {
                identities.add(identity);
            } else if (!identity.isEmpty()) {
                settings.error(ConfigKeys.ZOOKEEPER_ACL + ": \"" + identity
                        + "\" is not an identity such as sasl:twinbell or x509:CN=a; separate several by semicolons");
            }
        }
        return identities;
    }

    private static ZooKeeperAccess.Tls tls(Settings settings) {
        boolean isOn = settings.bool(ConfigKeys.ZOOKEEPER_TLS);
        String password = settings.optional(ConfigKeys.ZOOKEEPER_TLS_PASSWORD);
        Path certificate = file(settings, ConfigKeys.ZOOKEEPER_TLS_CERTIFICATE);
        Path authorities = file(settings, ConfigKeys.ZOOKEEPER_TLS_CA);
        if (!isOn && (certificate != null || authorities != null || password != null)) {
            settings.error("files for zookeeper.tls are set, but " + ConfigKeys.ZOOKEEPER_TLS + " is false");
        }
        if (isOn && !hasNetty()) {
            settings.error(ConfigKeys.ZOOKEEPER_TLS + ": ZooKeeper's client needs Netty for TLS; add the libraries"
                    + " io.netty:netty-handler and io.netty:netty-transport-classes-epoll to the class path");
        }
        return new ZooKeeperAccess.Tls(isOn, certificate, password, authorities);
    }

    /** An embedded node has it only if the application adds it. */
    private static boolean hasNetty() {
        try {
            Class.forName("io.netty.handler.ssl.SslHandler", false, ZooKeeperAccess.class.getClassLoader());
            Class.forName("io.netty.channel.epoll.Epoll", false, ZooKeeperAccess.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static Path file(Settings settings, String key) {
        Path file = settings.optionalPath(key);
        if (file == null) {
            return null;
        }
        try {
            SmallFile.check(file);
        } catch (IOException e) {
            settings.error(key + ": " + file + ": " + e.getMessage());
        }
        String name = file.toString();
        if (!name.endsWith(".pem") && !name.endsWith(".p12") && !name.endsWith(".jks")) {
            settings.error(key + ": " + file + ": its name must end in .pem, .p12 or .jks, which tells its format");
        }
        return file;
    }
}
