/**
 * What fast takeover needs of the database: the lock that the master holds while it lives, the place where it can be
 * found, and a look at its sessions.
 */
package io.twinbell.persistence.takeover;
