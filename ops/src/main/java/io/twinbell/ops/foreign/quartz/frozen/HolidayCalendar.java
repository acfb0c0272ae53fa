package io.twinbell.ops.foreign.quartz.frozen;

import java.util.Date;
import java.util.TreeSet;

/** Stands in for Quartz's class of that name, so that its serialized form can be read without Quartz and its code. */
@SuppressWarnings("serial")
final class HolidayCalendar extends BaseCalendar {
    private static final long serialVersionUID = -7590908752291814693L;

    TreeSet<Date> dates;
}
