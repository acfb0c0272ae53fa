/**
 * The tasks as people write them. Each change is one transaction that also notifies the master.
 */
package io.twinbell.persistence.task;
