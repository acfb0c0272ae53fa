package io.twinbell.ops.drill;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.ops.check.Plan;
import io.twinbell.ops.check.Policies;

/** A task as the drill asks for it, and what it will owe. */
record DrillTask(String name, ObjectNode definition, Plan plan, Policies policies) {}
