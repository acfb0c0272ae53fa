/**
 * Whether what happened is what the schedules owe and the rules of authority allow: one checker for whatever can tell a
 * {@link io.twinbell.tools.check.History}. Pure values and decisions; nothing here knows HTTP, a database or a clock.
 */
package io.twinbell.tools.check;
