/** The calendars that tasks and alerts use, as people write them. This module does not interpret their content. */
package io.twinbell.persistence.calendar;
