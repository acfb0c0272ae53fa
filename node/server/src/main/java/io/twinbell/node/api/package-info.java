/**
 * The HTTP API server. The packages below have the routes, by topic. Either node serves
 * all of it, because the database is the source of truth. {@code openapi.json} describes it, and a test compares both.
 */
package io.twinbell.node.api;
