package io.twinbell.node.config;

import io.twinbell.node.access.RoleMapping;
import io.twinbell.node.config.NodeConfig.HttpAccess;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the settings that say who may use the HTTP API. If the API listens beyond loopback, it needs credentials unless
 * the configuration opens it.
 */
final class AccessReader {
    private AccessReader() {}

    /** Without a configuration file the relative default has no base, so the node has no admin token. */
    static HttpAccess read(Settings settings) {
        boolean isLocal = isLoopback(settings.optional(ConfigKeys.HTTP_HOST));
        HttpAccess.Mode mode = mode(settings, isLocal);
        boolean isInsecure = settings.bool(ConfigKeys.HTTP_INSECURE);
        if (!isLocal && !isInsecure && "true".equals(settings.optional(ConfigKeys.HTTP_ENABLED))) {
            refuseOpenDoor(settings, mode);
        }
        boolean isSet = settings.isSet(ConfigKeys.HTTP_ADMIN_TOKEN);
        return new HttpAccess(
                mode,
                isSet || settings.hasFile() ? settings.path(ConfigKeys.HTTP_ADMIN_TOKEN) : null,
                isSet,
                settings.bool(ConfigKeys.HTTP_OPEN_METRICS),
                OidcReader.read(settings),
                certificates(settings));
    }

    private static List<RoleMapping> certificates(Settings settings) {
        List<RoleMapping> roles = RoleMappingReader.read(settings, ConfigKeys.TLS_ROLES);
        if (!roles.isEmpty() && "none".equalsIgnoreCase(settings.optional(ConfigKeys.TLS_CLIENTS))) {
            settings.error(ConfigKeys.TLS_ROLES + " is set, but " + ConfigKeys.TLS_CLIENTS
                    + " is NONE: no client presents a certificate");
        }
        return roles;
    }

    private static void refuseOpenDoor(Settings settings, HttpAccess.Mode mode) {
        String host = ConfigKeys.HTTP_HOST + ": " + settings.optional(ConfigKeys.HTTP_HOST)
                + " can be reached from other machines, and ";
        if (settings.optional(ConfigKeys.TLS_CERTIFICATE) == null) {
            settings.error(host + "requests and tokens would travel unencrypted; set " + ConfigKeys.TLS_CERTIFICATE
                    + " ('twinbell tls-init' makes one), or listen on 127.0.0.1, or accept that with "
                    + ConfigKeys.HTTP_INSECURE + ": true");
        } else if (mode == HttpAccess.Mode.OPEN) {
            settings.error(host + "every client could change everything; set " + ConfigKeys.HTTP_ACCESS
                    + ": TOKENS, or accept that with " + ConfigKeys.HTTP_INSECURE + ": true");
        }
    }

    private static HttpAccess.Mode mode(Settings settings, boolean isLocal) {
        if (settings.isSet(ConfigKeys.HTTP_ACCESS)) {
            return settings.choice(ConfigKeys.HTTP_ACCESS, HttpAccess.Mode.class);
        }
        return isLocal ? HttpAccess.Mode.READ : HttpAccess.Mode.TOKENS;
    }

    /** A name counts as loopback if all its addresses do. An unknown name does not. */
    static boolean isLoopback(String host) {
        try {
            return Arrays.stream(InetAddress.getAllByName(host)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
