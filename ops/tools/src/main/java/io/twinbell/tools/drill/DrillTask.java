package io.twinbell.tools.drill;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.check.OwedSlotPlan;
import io.twinbell.tools.check.TaskPolicyFacts;

/** A task as the drill asks for it, and what it will owe. */
record DrillTask(String name, ObjectNode definition, OwedSlotPlan plan, TaskPolicyFacts policies) {}
