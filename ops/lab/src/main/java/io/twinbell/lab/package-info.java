/**
 * Drills: tasks run, a fault strikes, the pair recovers, and the calls that an independent receiver logged are compared
 * with the ledger.
 */
package io.twinbell.lab;
