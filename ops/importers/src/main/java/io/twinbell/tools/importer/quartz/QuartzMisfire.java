package io.twinbell.tools.importer.quartz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.importer.quartz.QuartzContent.QuartzTrigger;
import java.time.Duration;
import java.util.List;

/** Translates Quartz's misfire instructions into misfire policies. */
final class QuartzMisfire {
    private static final int IGNORE_POLICY = -1;
    private static final int SMART = 0;
    private static final int FIRE_NOW = 1;
    /** For a cron trigger: do nothing. For a simple trigger: fire now, with all its repeats. */
    private static final int SECOND = 2;

    private static final int NOW_REMAINING = 3;
    private static final int NEXT_REMAINING = 4;

    private QuartzMisfire() {}

    static void into(QuartzTrigger trigger, Duration threshold, ObjectNode task, List<String> notes) {
        ObjectNode misfire = task.putObject("misfire");
        misfire.put("policy", policy(trigger, notes)).put("threshold", threshold.toString());
    }

    private static String policy(QuartzTrigger trigger, List<String> notes) {
        int instruction = trigger.triggerState().misfire();
        boolean isSimple = trigger.type().equals("SIMPLE");
        if (instruction == IGNORE_POLICY) {
            notes.add("ignores misfires in Quartz, so all missed slots run here, at most 100");
            return "FIRE_ALL";
        }
        if (!isSimple) {
            return instruction == SECOND ? "SKIP" : "FIRE_ONCE";
        }
        long repeats = trigger.kind().number("REPEAT_COUNT");
        if (instruction == SMART) {
            return repeats < 0 ? "SKIP" : "FIRE_ONCE";
        }
        if (instruction == SECOND || instruction == NOW_REMAINING) {
            notes.add("restarts its intervals after a misfire in Quartz; here they stay unchanged");
        }
        return instruction == FIRE_NOW || instruction < NEXT_REMAINING ? "FIRE_ONCE" : "SKIP";
    }
}
