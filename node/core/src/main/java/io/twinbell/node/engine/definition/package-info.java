/**
 * Task definitions: reads them from the table, compiles them, and keeps the task heap in line with the table.
 *
 * <p>Input: ids of tasks that changed or are due soon. Output: compiled definitions to the claimer, and actions to the
 * heap. Reads happen on the claimer thread; definitions for the next claim are read ahead on a separate thread.
 */
package io.twinbell.node.engine.definition;
