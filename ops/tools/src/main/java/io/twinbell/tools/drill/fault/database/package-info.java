/** Faults of one PostgreSQL server and of its sessions. */
package io.twinbell.tools.drill.fault.database;
