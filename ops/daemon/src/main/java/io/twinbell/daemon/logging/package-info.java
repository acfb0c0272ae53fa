/**
 * The log of the daemon: its level, its target, and its format as text or JSON lines.
 */
package io.twinbell.daemon.logging;
