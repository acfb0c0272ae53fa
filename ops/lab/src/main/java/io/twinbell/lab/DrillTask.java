package io.twinbell.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.check.history.TaskPolicyFacts;

/** A task that a drill creates, with the slots that it will owe. */
record DrillTask(String name, ObjectNode definition, OwedSlotPlan plan, TaskPolicyFacts policies) {}
