/** The list of all faults, and their combinations. */
package io.twinbell.tools.drill.fault.catalog;
