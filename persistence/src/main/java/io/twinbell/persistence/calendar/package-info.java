/** The calendars that tasks respect, as people wrote them. What they mean is not known here. */
package io.twinbell.persistence.calendar;
