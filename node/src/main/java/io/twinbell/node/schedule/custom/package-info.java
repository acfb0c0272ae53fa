/** Schedules whose times code of the embedding program or of a plugin computes: checked, bounded and isolated. */
package io.twinbell.node.schedule.custom;
