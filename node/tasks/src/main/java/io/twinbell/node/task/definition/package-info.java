/** The definitions of handlers, parsed and validated. */
package io.twinbell.node.task.definition;
