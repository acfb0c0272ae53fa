/** Finds executions that are stuck, and repeats such searches at an interval. */
package io.twinbell.node.execution;
