/** The list of all faults, and their combinations. */
package io.twinbell.lab.fault.catalog;
