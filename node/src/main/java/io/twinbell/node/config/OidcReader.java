package io.twinbell.node.config;

import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Grant;
import io.twinbell.node.access.oidc.OidcProvider;
import io.twinbell.node.access.oidc.OidcProvider.RoleMapping;
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

/** Reads the OpenID Connect provider whose tokens the node accepts. */
final class OidcReader {
    /** Tokens and keys must not be readable or replaceable on the way; a provider on this machine is an exception. */
    private static final Pattern URL =
            Pattern.compile("https://\\S+|http://(localhost|127\\.0\\.0\\.1|\\[::1])(:\\d+)?(/\\S*)?");

    private static final Pattern TEXT = Pattern.compile("\\S.{0,500}");
    private static final Pattern MAPPING =
            Pattern.compile("([^=;]+)=\\s*([a-z]+)((?:@[^+@;]+)?)((?:\\+[a-z]+)*)", Pattern.CASE_INSENSITIVE);

    private OidcReader() {}

    /** Returns null if no provider is configured. */
    static OidcProvider read(Settings settings) {
        if (settings.optional(ConfigKeys.OIDC_ISSUER) == null) {
            for (String key : List.of(ConfigKeys.OIDC_AUDIENCE, ConfigKeys.OIDC_ROLES, ConfigKeys.OIDC_JWKS)) {
                if (settings.optional(key) != null) {
                    settings.error(key + " is set, but " + ConfigKeys.OIDC_ISSUER + " is not");
                }
            }
            return null;
        }
        Path authorities = settings.optionalPath(ConfigKeys.OIDC_CA);
        return new OidcProvider(
                settings.text(ConfigKeys.OIDC_ISSUER, URL, "an https URL"),
                settings.text(ConfigKeys.OIDC_AUDIENCE, TEXT, "a text"),
                settings.optional(ConfigKeys.OIDC_JWKS) == null
                        ? null
                        : settings.text(ConfigKeys.OIDC_JWKS, URL, "an https URL"),
                settings.text(ConfigKeys.OIDC_NAME_CLAIM, TEXT, "the name of a claim"),
                settings.text(ConfigKeys.OIDC_ROLES_CLAIM, TEXT, "the name of a claim"),
                roles(settings),
                authorities);
    }

    private static List<RoleMapping> roles(Settings settings) {
        List<RoleMapping> roles = new ArrayList<>();
        String given = settings.text(ConfigKeys.OIDC_ROLES, TEXT, "what the roles of tokens permit");
        for (String entry : given == null ? new String[0] : given.split(";")) {
            Matcher mapping = MAPPING.matcher(entry.strip());
            Optional<RoleMapping> read = mapping.matches() ? mapping(mapping) : Optional.empty();
            read.ifPresent(roles::add);
            if (read.isEmpty() && !entry.isBlank()) {
                settings.error(ConfigKeys.OIDC_ROLES + ": \"" + entry.strip() + "\" is not VALUE=ROLE, such as"
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
}
