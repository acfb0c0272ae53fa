package io.twinbell.node.access.oidc;

/**
 * A person who has signed in at the provider.
 *
 * @param name the person's name, fit for logs
 * @param role the value of the roles claim that decides what the person may do
 */
public record SignedIn(String name, String role) {}
