/**
 * Asks the nodes of a pair over HTTP. Every call ends within a few seconds, even if a node is frozen.
 */
package io.twinbell.tools.client;
