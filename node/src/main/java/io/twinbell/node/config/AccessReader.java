package io.twinbell.node.config;

import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Grant;
import io.twinbell.node.access.RoleMapping;
import io.twinbell.node.access.oidc.OidcProvider;
import io.twinbell.node.config.NodeConfig.HttpAccess;
import io.twinbell.node.tls.TlsFiles;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the settings that say who may use the HTTP API: with the node's own tokens, with certificates, or with tokens
 * of an OpenID Connect provider. If the API listens beyond loopback, it needs credentials unless the configuration
 * opens it.
 */
final class AccessReader {
    /** Tokens and keys must not be readable or replaceable on the way; a provider on this machine is an exception. */
    private static final Pattern PROVIDER_URL =
            Pattern.compile("https://\\S+|http://(localhost|127\\.0\\.0\\.1|\\[::1])(:\\d+)?(/\\S*)?");

    private static final Pattern TEXT = Pattern.compile("\\S.{0,500}");

    private static final Pattern SCOPES = Pattern.compile("(\\S+ )*openid( \\S+)*");

    private static final Pattern MAPPING =
            Pattern.compile("([^=;]+)=\\s*([a-z]+)((?:@[^+@;]+)?)((?:\\+[a-z]+)*)", Pattern.CASE_INSENSITIVE);

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
                provider(settings),
                certificates(settings));
    }

    private static List<RoleMapping> certificates(Settings settings) {
        List<RoleMapping> roles = roles(settings, ConfigKeys.TLS_ROLES);
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

    /** Returns null if no provider is configured. */
    private static OidcProvider provider(Settings settings) {
        if (settings.optional(ConfigKeys.OIDC_ISSUER) == null) {
            for (String key : List.of(
                    ConfigKeys.OIDC_AUDIENCE, ConfigKeys.OIDC_ROLES, ConfigKeys.OIDC_JWKS, ConfigKeys.OIDC_CLIENT_ID)) {
                if (settings.optional(key) != null) {
                    settings.error(key + " is set, but " + ConfigKeys.OIDC_ISSUER + " is not");
                }
            }
            return null;
        }
        Path authorities = settings.optionalPath(ConfigKeys.OIDC_CA);
        TlsFiles.forClient(authorities, null, null)
                .problems()
                .forEach(problem -> settings.error(ConfigKeys.OIDC_CA + ": " + problem));
        return new OidcProvider(
                settings.text(ConfigKeys.OIDC_ISSUER, PROVIDER_URL, "an https URL"),
                settings.text(ConfigKeys.OIDC_AUDIENCE, TEXT, "a text"),
                settings.optional(ConfigKeys.OIDC_JWKS) == null
                        ? null
                        : settings.text(ConfigKeys.OIDC_JWKS, PROVIDER_URL, "an https URL"),
                settings.text(ConfigKeys.OIDC_NAME_CLAIM, TEXT, "the name of a claim"),
                settings.text(ConfigKeys.OIDC_ROLES_CLAIM, TEXT, "the name of a claim"),
                tokenRoles(settings),
                authorities,
                client(settings));
    }

    /** Returns null if people do not sign in at the provider. */
    private static OidcProvider.Client client(Settings settings) {
        String secret = settings.optional(ConfigKeys.OIDC_CLIENT_SECRET);
        String redirectUrl = settings.optional(ConfigKeys.OIDC_REDIRECT_URL);
        if (settings.optional(ConfigKeys.OIDC_CLIENT_ID) == null) {
            if (secret != null || redirectUrl != null) {
                settings.error((secret == null ? ConfigKeys.OIDC_REDIRECT_URL : ConfigKeys.OIDC_CLIENT_SECRET)
                        + " is set, but " + ConfigKeys.OIDC_CLIENT_ID + " is not");
            }
            return null;
        }
        return new OidcProvider.Client(
                settings.text(ConfigKeys.OIDC_CLIENT_ID, TEXT, "a text"),
                secret,
                settings.text(ConfigKeys.OIDC_SCOPES, SCOPES, "scopes that contain openid"),
                redirectUrl == null ? null : settings.text(ConfigKeys.OIDC_REDIRECT_URL, PROVIDER_URL, "an https URL"));
    }

    private static List<RoleMapping> tokenRoles(Settings settings) {
        settings.text(ConfigKeys.OIDC_ROLES, TEXT, "what the roles of tokens permit");
        return roles(settings, ConfigKeys.OIDC_ROLES);
    }

    /**
     * Reads mappings from external names to roles: entries {@code NAME=ROLE@app,app+grant}, separated by semicolons.
     */
    private static List<RoleMapping> roles(Settings settings, String key) {
        List<RoleMapping> roles = new ArrayList<>();
        String given = settings.optional(key);
        for (String entry : given == null ? new String[0] : given.split(";")) {
            Matcher mapping = MAPPING.matcher(entry.strip());
            Optional<RoleMapping> read = mapping.matches() ? mapping(mapping) : Optional.empty();
            read.ifPresent(roles::add);
            if (read.isEmpty() && !entry.isBlank()) {
                settings.error(key + ": \"" + entry.strip() + "\" is not VALUE=ROLE, such as"
                        + " tb-admins=admin or tb-shop=editor@shop,billing+sql; the roles are "
                        + words(AccessRole.values()) + ", and the grants " + words(Grant.values()));
            }
        }
        return roles;
    }

    private static Optional<RoleMapping> mapping(Matcher found) {
        try {
            Set<String> apps = new HashSet<>();
            if (!found.group(3).isEmpty()) {
                Arrays.stream(found.group(3).substring(1).split(","))
                        .map(String::strip)
                        .forEach(apps::add);
            }
            Set<Grant> grants = new HashSet<>();
            for (String grant : found.group(4).split("\\+")) {
                if (!grant.isEmpty()) {
                    grants.add(Grant.valueOf(grant.toUpperCase(Locale.ROOT)));
                }
            }
            AccessRole role = AccessRole.valueOf(found.group(2).toUpperCase(Locale.ROOT));
            return apps.contains("")
                    ? Optional.empty()
                    : Optional.of(new RoleMapping(found.group(1).strip(), role, apps, grants));
        } catch (IllegalArgumentException unknownRoleOrGrant) {
            return Optional.empty();
        }
    }

    private static String words(Enum<?>[] values) {
        return String.join(
                ", ",
                Arrays.stream(values)
                        .map(value -> value.name().toLowerCase(Locale.ROOT))
                        .toList());
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
