/**
 * The faults that can be drilled, one class each: what it does, what it demands of the pair, and what must become of
 * the roles. {@link io.twinbell.tools.drill.fault.Faults} lists them all.
 */
package io.twinbell.tools.drill.fault;
