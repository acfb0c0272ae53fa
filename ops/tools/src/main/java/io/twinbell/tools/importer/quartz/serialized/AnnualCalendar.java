package io.twinbell.tools.importer.quartz.serialized;

/** Stands in for Quartz's class of that name, so that its serialized form can be read without Quartz and its code. */
@SuppressWarnings("serial")
final class AnnualCalendar extends BaseCalendar {
    private static final long serialVersionUID = 7346867105876610961L;

    Object excludeDays;
    boolean dataSorted;
}
