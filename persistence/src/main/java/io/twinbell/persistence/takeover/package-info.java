/**
 * The parts of fast takeover in the database: the lock that the master holds while its process lives, the master's
 * addresses, and the state of its sessions.
 */
package io.twinbell.persistence.takeover;
