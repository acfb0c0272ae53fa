/**
 * Reads answers of other processes with a bound on size and time.
 */
package io.twinbell.node.http;
