package io.twinbell.node.access.oidc;

import io.twinbell.node.access.RoleMapping;
import java.nio.file.Path;
import java.util.List;

/**
 * An OpenID Connect provider whose tokens this node accepts.
 *
 * @param issuer the {@code iss} of its tokens, a URL
 * @param audience what {@code aud} must contain
 * @param jwks where its keys are; null to ask the issuer's discovery document
 * @param nameClaim the claim with the principal's name
 * @param rolesClaim the claim with the roles or groups, a text or a list; a dot leads into an object
 * @param roles what the values of that claim permit; the first that matches decides
 * @param authorities a PEM file with the authorities of the provider's certificate; null for those of the Java runtime
 */
public record OidcProvider(
        String issuer,
        String audience,
        String jwks,
        String nameClaim,
        String rolesClaim,
        List<RoleMapping> roles,
        Path authorities) {
    public OidcProvider {
        roles = List.copyOf(roles);
    }
}
