package io.twinbell.tools.importer.quartz.serialized;

/** Replaces Quartz's class of this name, so that its serialized form can be read without Quartz's code. */
@SuppressWarnings("serial")
final class WeeklyCalendar extends BaseCalendar {
    private static final long serialVersionUID = -6809298821229007586L;

    boolean[] excludeDays;
    boolean excludeAll;
}
