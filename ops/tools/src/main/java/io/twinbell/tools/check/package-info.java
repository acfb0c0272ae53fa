/**
 * Checks whether what happened is what the schedules owe and what the rules of authority allow. One checker serves
 * every source that can provide a {@link io.twinbell.tools.check.history.History}. Pure values and decisions: no HTTP, no
 * database and no clock.
 */
package io.twinbell.tools.check;
