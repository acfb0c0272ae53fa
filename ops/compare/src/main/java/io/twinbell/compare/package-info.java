/** Compares Twinbell with other schedulers: the same workloads on the same PostgreSQL. */
package io.twinbell.compare;
