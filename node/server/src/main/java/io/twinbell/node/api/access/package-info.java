/** Finds the principal of each request and decides whether the request is permitted. */
package io.twinbell.node.api.access;
