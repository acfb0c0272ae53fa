/** Faults of one PostgreSQL server and of its sessions. */
package io.twinbell.lab.fault.database;
