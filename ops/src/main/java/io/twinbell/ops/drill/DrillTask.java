package io.twinbell.ops.drill;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.ops.check.OwedSlotPlan;
import io.twinbell.ops.check.TaskPolicyFacts;

/** A task as the drill asks for it, and what it will owe. */
record DrillTask(String name, ObjectNode definition, OwedSlotPlan plan, TaskPolicyFacts policies) {}
