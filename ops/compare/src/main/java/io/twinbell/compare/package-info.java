/** Twinbell and other schedulers, given the same work on the same PostgreSQL. */
package io.twinbell.compare;
