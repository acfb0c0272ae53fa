/**
 * The tasks as people write them. Each change is one transaction that also notifies the master. Applications add and
 * remove tasks by SQL functions inside their own transactions; those arrive here as well.
 */
package io.twinbell.persistence.task;
