/**
 * A node in virtual time: the real engine, stepped on the caller's thread, on tables in memory. The test kit runs
 * applications' tasks on it.
 *
 * <p>Only the test kit uses it. It is in this module because it calls code with types of Jackson and of the metrics
 * library, which have other names in the embedded jar that the test kit runs with.
 */
package io.twinbell.node.virtual;
