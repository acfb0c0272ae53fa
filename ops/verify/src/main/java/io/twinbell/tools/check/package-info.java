/**
 * Checks a history against the schedules, which determine the slots, and against the rules of authority. One checker
 * serves every source that can provide a {@link io.twinbell.tools.check.history.History}. Pure values and decisions: no
 * HTTP, no database and no clock.
 */
package io.twinbell.tools.check;
