/**
 * Checks that the shipped alert rules page during a fault and stop afterwards: promtool evaluates the scrapes of both
 * nodes.
 */
package io.twinbell.lab.page;
