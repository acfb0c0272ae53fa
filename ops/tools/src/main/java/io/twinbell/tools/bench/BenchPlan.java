package io.twinbell.tools.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;

/** The tasks of a run, and every slot that they owe. Tasks and slots have numbers from 0 on. */
public sealed interface BenchPlan {
    /** How many tasks there are. */
    int tasks();

    /** How many slots all of them owe together. */
    int slots();

    /** The number of a slot, or -1 for one that nobody has planned. */
    int slot(int task, long fireMillis);

    /** The earliest fire time; milliseconds since 1970 UTC. */
    long firstMillis();

    /** The latest fire time. */
    long lastMillis();

    /** The schedule of a task, as the API reads it, with whatever else its timing needs. */
    ObjectNode timing(int task);

    /** What the lateness of a task's slots is told under. */
    String kind(int task);

    private static ObjectNode timing(String form, String value) {
        ObjectNode timing = JsonNodeFactory.instance.objectNode();
        timing.putObject("schedule").put(form, value);
        return timing;
    }

    /** How this instant is written. */
    static String text(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }

    /**
     * Tasks that fire once, so many a second from an instant on.
     *
     * @param perSecond 0 for all at that instant
     */
    record OneShots(long firstMillis, int tasks, int perSecond) implements BenchPlan {
        /** When a task fires. */
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
     * Tasks that fire every second for so many seconds. Every second one goes by a cron expression, and so at whole
     * seconds; the others go by an interval, and lie evenly in the second.
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
