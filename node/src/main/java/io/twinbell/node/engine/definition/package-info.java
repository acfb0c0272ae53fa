/**
 * What to run: task definitions, read from the table and compiled, and the reads that keep the heap in line with the table.
 *
 * <p>In come ids of tasks that changed or are due soon; out go compiled definitions to the claimer, and actions to the heap. Reads
 * happen on the claimer thread; definitions that a claim will need are read ahead on a thread of their own.
 */
package io.twinbell.node.engine.definition;
