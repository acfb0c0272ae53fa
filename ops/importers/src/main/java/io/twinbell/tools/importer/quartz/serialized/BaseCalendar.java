package io.twinbell.tools.importer.quartz.serialized;

import java.io.Serializable;
import java.util.TimeZone;

/** Replaces Quartz's class of this name, so that its serialized form can be read without Quartz's code. */
@SuppressWarnings("serial")
class BaseCalendar implements Serializable {
    private static final long serialVersionUID = 3106623404629760239L;

    Object baseCalendar;
    String description;
    TimeZone timeZone;
}
