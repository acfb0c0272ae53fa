/** Which tasks respect which calendars. */
package io.twinbell.persistence.calendar;
