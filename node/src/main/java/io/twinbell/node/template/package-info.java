/** Texts with variables in them: parsed and tried when a task is stored, filled in for each attempt. */
package io.twinbell.node.template;
