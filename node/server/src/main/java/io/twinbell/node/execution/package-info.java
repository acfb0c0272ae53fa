/** Finds executions that are stuck. */
package io.twinbell.node.execution;
