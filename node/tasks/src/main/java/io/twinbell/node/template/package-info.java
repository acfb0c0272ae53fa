/** Templates: texts with variables, parsed and checked when a task is stored, and filled in for each attempt. */
package io.twinbell.node.template;
