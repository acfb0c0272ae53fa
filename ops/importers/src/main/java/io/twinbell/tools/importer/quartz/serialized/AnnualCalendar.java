package io.twinbell.tools.importer.quartz.serialized;

/** Replaces Quartz's class of this name, so that its serialized form can be read without Quartz's code. */
@SuppressWarnings("serial")
final class AnnualCalendar extends BaseCalendar {
    private static final long serialVersionUID = 7346867105876610961L;

    Object excludeDays;
    boolean dataSorted;
}
