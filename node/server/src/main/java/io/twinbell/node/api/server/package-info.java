/**
 * The HTTP server below the routes. It decides which requests are accepted, how much memory they take, and how long a
 * peer may take to send a request or to read an answer. Everything here is asynchronous: a slow peer never holds a
 * thread.
 */
package io.twinbell.node.api.server;
