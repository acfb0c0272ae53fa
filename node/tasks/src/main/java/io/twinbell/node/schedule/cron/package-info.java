/**
 * Cron expressions: reads every dialect, and compiles an expression into bit masks of local times, without a zone. It knows
 * neither tasks nor clocks.
 */
package io.twinbell.node.schedule.cron;
