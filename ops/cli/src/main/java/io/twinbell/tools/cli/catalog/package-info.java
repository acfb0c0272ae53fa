/** The commands for alerts and calendars, and the preview of schedules. */
package io.twinbell.tools.cli.catalog;
