/**
 * The handler types {@code http}, {@code sql}, {@code shell}, {@code java} and {@code log}: each runs one attempt and
 * reports how it ended. Calls that wait for another system hold no worker thread.
 */
package io.twinbell.node.handler;
