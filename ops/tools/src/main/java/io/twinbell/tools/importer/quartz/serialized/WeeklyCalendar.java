package io.twinbell.tools.importer.quartz.serialized;

/** Stands in for Quartz's class of that name, so that its serialized form can be read without Quartz and its code. */
@SuppressWarnings("serial")
final class WeeklyCalendar extends BaseCalendar {
    private static final long serialVersionUID = -6809298821229007586L;

    boolean[] excludeDays;
    boolean excludeAll;
}
