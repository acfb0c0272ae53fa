/**
 * Task definitions: from JSON to a checked definition and back, and every edit of a task as a decision about its next
 * fire time. Nothing here does I/O.
 */
package io.twinbell.node.task;
