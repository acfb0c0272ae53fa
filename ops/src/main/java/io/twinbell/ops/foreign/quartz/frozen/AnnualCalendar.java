package io.twinbell.ops.foreign.quartz.frozen;

import java.util.ArrayList;
import java.util.Calendar;

/** Stands in for Quartz's class of that name, so that its serialized form can be read without Quartz and its code. */
@SuppressWarnings("serial")
final class AnnualCalendar extends BaseCalendar {
    private static final long serialVersionUID = 7346867105876610961L;

    ArrayList<Calendar> excludeDays;
    boolean dataSorted;
}
