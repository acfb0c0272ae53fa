/**
 * Twinbell as a library. {@link io.twinbell.Twinbell} starts a node inside another program; {@link io.twinbell.Tasks}
 * reads and changes the tasks of its pair. This package and {@link io.twinbell.handler} are the public API; other
 * packages may change.
 */
package io.twinbell;
