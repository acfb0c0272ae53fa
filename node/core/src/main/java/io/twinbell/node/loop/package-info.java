/**
 * Monitoring of loops that retry after an error: how long each has made no progress, and which items it had to set
 * aside; and the signals that wake a loop after an event.
 */
package io.twinbell.node.loop;
