/** Tokens of the API: makes and recognizes them, and bounds how long a node trusts its copy of them. */
package io.twinbell.node.access.token;
