/**
 * The HTTP API: routes, the JSON that they read and write, and problems as RFC 9457 describes them. Either node serves
 * all of it, because the database is the source of truth. {@code openapi.json} describes it, and a test compares both.
 */
package io.twinbell.node.api;
