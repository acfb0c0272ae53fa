/** Faults of a primary with a streaming replica, of restores and of copies. */
package io.twinbell.lab.fault.replica;
