package io.twinbell.tools.importer.quartz.serialized;

/** Stands in for Quartz's class of that name, so that its serialized form can be read without Quartz and its code. */
@SuppressWarnings("serial")
final class HolidayCalendar extends BaseCalendar {
    private static final long serialVersionUID = -7590908752291814693L;

    Object dates;
}
