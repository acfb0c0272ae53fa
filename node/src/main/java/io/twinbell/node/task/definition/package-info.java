/** The values of a task definition: handler, policies and limits, parsed and validated. */
package io.twinbell.node.task.definition;
