/** Tokens of the HTTP API, stored as hashes. */
package io.twinbell.node.access.store;
