/**
 * The port between a node and its HTTP API. The API itself needs a web server, which an embedded node need not have on
 * its class path.
 */
package io.twinbell.node.api.port;
