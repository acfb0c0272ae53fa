/**
 * The HTTP server below the routes: which requests it lets in, how much of them it keeps in memory, and how long a peer may
 * take to send a request or to receive an answer. Everything here is asynchronous: a slow peer never holds a thread.
 */
package io.twinbell.node.api.server;
