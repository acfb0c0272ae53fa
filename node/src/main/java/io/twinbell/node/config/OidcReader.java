package io.twinbell.node.config;

import io.twinbell.node.access.RoleMapping;
import io.twinbell.node.access.oidc.OidcProvider;
import io.twinbell.node.tls.TlsFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Reads the OpenID Connect provider whose tokens the node accepts. */
final class OidcReader {
    /** Tokens and keys must not be readable or replaceable on the way; a provider on this machine is an exception. */
    private static final Pattern URL =
            Pattern.compile("https://\\S+|http://(localhost|127\\.0\\.0\\.1|\\[::1])(:\\d+)?(/\\S*)?");

    private static final Pattern TEXT = Pattern.compile("\\S.{0,500}");

    private static final Pattern SCOPES = Pattern.compile("(\\S+ )*openid( \\S+)*");

    private OidcReader() {}

    /** Returns null if no provider is configured. */
    static OidcProvider read(Settings settings) {
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
                settings.text(ConfigKeys.OIDC_ISSUER, URL, "an https URL"),
                settings.text(ConfigKeys.OIDC_AUDIENCE, TEXT, "a text"),
                settings.optional(ConfigKeys.OIDC_JWKS) == null
                        ? null
                        : settings.text(ConfigKeys.OIDC_JWKS, URL, "an https URL"),
                settings.text(ConfigKeys.OIDC_NAME_CLAIM, TEXT, "the name of a claim"),
                settings.text(ConfigKeys.OIDC_ROLES_CLAIM, TEXT, "the name of a claim"),
                roles(settings),
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
                redirectUrl == null ? null : settings.text(ConfigKeys.OIDC_REDIRECT_URL, URL, "an https URL"));
    }

    private static List<RoleMapping> roles(Settings settings) {
        settings.text(ConfigKeys.OIDC_ROLES, TEXT, "what the roles of tokens permit");
        return RoleMappingReader.read(settings, ConfigKeys.OIDC_ROLES);
    }
}
