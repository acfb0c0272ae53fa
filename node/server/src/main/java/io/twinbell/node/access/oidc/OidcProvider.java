package io.twinbell.node.access.oidc;

import io.twinbell.node.access.RoleMapping;
import java.nio.file.Path;
import java.util.List;

/**
 * An OpenID Connect provider whose tokens this node accepts.
 *
 * @param issuer the {@code iss} of its tokens, a URL
 * @param audience what {@code aud} must contain
 * @param jwks the address of its keys; null to take the one in the issuer's discovery document
 * @param nameClaim the claim with the principal's name
 * @param rolesClaim the claim with the roles or groups, a text or a list; a dot leads into an object
 * @param roles what the values of that claim permit; the first that matches decides
 * @param authorities a PEM file with the authorities of the provider's certificate; null for those of the Java runtime
 * @param client how the console signs people in; null if it does not
 */
public record OidcProvider(
        String issuer,
        String audience,
        String jwks,
        String nameClaim,
        String rolesClaim,
        List<RoleMapping> roles,
        Path authorities,
        Client client) {
    public OidcProvider {
        roles = List.copyOf(roles);
    }

    /**
     * The console as a client that is registered with the provider.
     *
     * @param secret null for a public client
     * @param scopes separated by blanks
     * @param redirectUrl where the provider returns the browser; null to derive it from the request
     */
    public record Client(String id, String secret, String scopes, String redirectUrl) {
        /** Leaves the secret out. */
        @Override
        public String toString() {
            return "Client[id=" + id + ", scopes=" + scopes + ", redirectUrl=" + redirectUrl + "]";
        }
    }
}
