/**
 * Custom schedules: the embedding program or a plugin computes their times. Its code is checked, bounded and isolated.
 */
package io.twinbell.node.schedule.custom;
