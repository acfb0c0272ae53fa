/** Principals from the bearer tokens of an OpenID Connect provider. */
package io.twinbell.node.access.oidc;
