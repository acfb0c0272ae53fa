/** The calendars that tasks and alerts use, as people write them. Their content is not interpreted here. */
package io.twinbell.node.calendar.store;
