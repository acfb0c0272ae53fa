package io.twinbell.tools.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;

/** The tasks of a run and every slot that they owe. Tasks and slots are numbered from 0. */
public sealed interface BenchPlan {
    /** The number of tasks. */
    int tasks();

    /** The number of slots of all tasks. */
    int slots();

    /** The number of a slot, or -1 if the plan does not have it. */
    int slot(int task, long fireMillis);

    /** The earliest fire time; milliseconds since 1970 UTC. */
    long firstMillis();

    /** The latest fire time. */
    long lastMillis();

    /** A task's schedule and other timing members in the API's form. */
    ObjectNode timing(int task);

    /** The label under which the lateness of a task's slots is reported. */
    String kind(int task);

    private static ObjectNode timing(String form, String value) {
        ObjectNode timing = JsonNodeFactory.instance.objectNode();
        timing.putObject("schedule").put(form, value);
        return timing;
    }

    /** Formats an instant. */
    static String text(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }

    /**
     * One-shot tasks at a constant rate from an instant on.
     *
     * @param perSecond 0 for all at that instant
     */
    record OneShots(long firstMillis, int tasks, int perSecond) implements BenchPlan {
        /** The task's fire time. */
        public long fireMillis(int task) {
            return firstMillis + (perSecond == 0 ? 0 : task * 1000L / perSecond);
        }

        @Override
        public int slots() {
            return tasks;
        }

        @Override
        public int slot(int task, long fireMillis) {
            return fireMillis == fireMillis(task) ? task : -1;
        }

        @Override
        public long lastMillis() {
            return fireMillis(tasks - 1);
        }

        @Override
        public ObjectNode timing(int task) {
            return BenchPlan.timing("at", text(fireMillis(task)));
        }

        @Override
        public String kind(int task) {
            return "one-shot";
        }
    }

    /**
     * Tasks that fire every second for a number of seconds. Half of them use a cron expression and fire at whole
     * seconds. The others use an interval and are spread evenly over the second.
     *
     * @param firstMillis a whole second
     */
    record EverySecond(long firstMillis, int tasks, int seconds) implements BenchPlan {
        @Override
        public int slots() {
            return Math.multiplyExact(tasks, seconds);
        }

        @Override
        public int slot(int task, long fireMillis) {
            long since = fireMillis - start(task);
            boolean isPlanned = since >= 0 && since % 1000 == 0 && since / 1000 < seconds;
            return isPlanned ? task * seconds + (int) (since / 1000) : -1;
        }

        @Override
        public long lastMillis() {
            return firstMillis + seconds * 1000L - 1;
        }

        @Override
        public ObjectNode timing(int task) {
            ObjectNode timing =
                    isCron(task) ? BenchPlan.timing("cron", "* * * * * ?") : BenchPlan.timing("every", "PT1S");
            if (isCron(task)) {
                timing.withObject("/schedule").put("dialect", "QUARTZ");
            }
            return timing.put("start", text(start(task))).put("end", text(lastMillis()));
        }

        @Override
        public String kind(int task) {
            return isCron(task) ? "cron" : "interval";
        }

        private static boolean isCron(int task) {
            return task % 2 == 0;
        }

        private long start(int task) {
            return firstMillis + (isCron(task) ? 0 : task * 1000L / tasks);
        }
    }
}
