package io.twinbell.tools.importer.quartz.serialized;

/** Replaces Quartz's class of this name, so that its serialized form can be read without Quartz's code. */
@SuppressWarnings("serial")
final class HolidayCalendar extends BaseCalendar {
    private static final long serialVersionUID = -7590908752291814693L;

    Object dates;
}
