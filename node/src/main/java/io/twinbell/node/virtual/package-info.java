/**
 * A node in virtual time: the real engine, stepped on the caller's thread, on tables in memory. The test kit runs
 * applications' tasks on it.
 */
package io.twinbell.node.virtual;
