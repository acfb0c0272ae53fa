/**
 * Time zones: names, offsets and clock changes. {@link io.twinbell.node.schedule.zone.ZonedPattern} converts the local times
 * of a pattern into instants.
 */
package io.twinbell.node.schedule.zone;
