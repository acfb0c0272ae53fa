package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.Twinbell;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.forecast.ChainPlanner;
import io.twinbell.node.forecast.SlotPlanner;
import io.twinbell.node.forecast.SlotPlanner.PlannedSlot;
import io.twinbell.node.task.TaskReader;
import io.twinbell.node.virtual.VirtualNode;
import io.twinbell.node.virtual.VirtualSettings;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskFilter;
import io.twinbell.persistence.task.TaskName;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The forecast of a span equals what the engine then writes into the ledger, slot by slot. */
class ForecastLedgerTest {
    private static final Instant START = Instant.parse("2026-03-27T12:00:00Z");
    private static final Duration SPAN = Duration.ofDays(4);
    private static final Duration RUN = Duration.ofMinutes(10);
    private static final String HOLIDAYS =
            "{\"zone\":\"Europe/Berlin\",\"ranges\":[{\"from\":\"2026-03-30\",\"to\":\"2026-03-30\"}]}";

    private static final String BOUNDS = ",\"start\":\"2026-03-27T20:00:00Z\",\"end\":\"2026-03-30T18:00:00Z\"";
    private static final Set<String> ONCE = Set.of("once", "later", "never");
    private static final String MOVED = ",\"calendars\":[\"holidays\"],\"onExcluded\":";
    /** Only fires that are rare can move. */
    private static final Set<String> MOVABLE = Set.of("berlin", "lord-howe", "new-york", "rule");

    /** The run before a follower ends a moment later than planned, because it starts a moment after its fire time. */
    private static final Set<String> FOLLOWERS = Set.of("second", "last", "paused");

    private static final String SCHEDULES = """
            berlin | {"cron":"30 2 * * *","zone":"Europe/Berlin"}
            berlin-skip | {"cron":"30 2 * * *","zone":"Europe/Berlin","dstGap":"SKIP"}
            berlin-minutes | {"cron":"*/7 * * * *","zone":"Europe/Berlin","dstOverlap":"TWICE"}
            lord-howe | {"cron":"15 */2 * * *","zone":"Australia/Lord_Howe"}
            new-york | {"cron":"0 0 9 ? * MON-FRI","dialect":"QUARTZ","zone":"America/New_York"}
            every | {"every":"PT37M"}
            aligned | {"every":"PT15M","align":"PT1H"}
            delayed | {"every":"PT25M","mode":"FIXED_DELAY"}
            rule | {"rrule":"FREQ=DAILY;BYHOUR=2,14;BYMINUTE=30;BYSECOND=0","dtstart":"2026-01-05T02:30","zone":"Europe/Berlin"}
            once | {"at":"2026-03-29T01:00:00Z"}
            later | {"in":"PT48H"}
            never | {"at":"2027-01-01T00:00:00Z"}
            """;

    @Test
    void the_forecast_of_four_days_equals_the_ledger_of_these_days() {
        VirtualNode[] made = new VirtualNode[1];
        VirtualSettings settings = new VirtualSettings(
                START,
                "test",
                Duration.ofDays(30),
                Map.of(),
                Map.of("long", RUN),
                List.of(),
                Map.of("holidays", HOLIDAYS));
        try (Twinbell twinbell = Twinbell.builder()
                .handler("quick", context -> "done")
                .handler("long", context -> "done")
                .start(code -> made[0] = new VirtualNode(code, settings))) {
            VirtualNode node = made[0];
            tasks().forEach((name, json) -> twinbell.tasks().put("forecast", name, json));
            List<String> forecast = forecast(node);
            node.advance(SPAN);
            List<String> ledger = ledger(node);
            assertTrue(ledger.size() > 3000, ledger.size() + " slots");
            assertEquals(String.join("\n", ledger), String.join("\n", forecast));
        }
    }

    private static Map<String, String> tasks() {
        Map<String, String> tasks = new LinkedHashMap<>();
        SCHEDULES.lines().forEach(line -> {
            String name = line.substring(0, line.indexOf('|')).strip();
            String schedule = line.substring(line.indexOf('|') + 1).strip();
            tasks.put(name, task(schedule, "quick", ""));
            tasks.put(name + "-jitter", task(schedule, "quick", ",\"jitter\":\"PT5M\""));
            if (!ONCE.contains(name)) {
                tasks.put(name + "-bounded", task(schedule, "quick", BOUNDS));
            }
            tasks.put(name + "-runs", task(schedule, "quick", ",\"maxRuns\":2"));
            tasks.put(name + "-excluded", task(schedule, "quick", ",\"calendars\":[\"holidays\"]"));
            if (MOVABLE.contains(name)) {
                tasks.put(name + "-next", task(schedule, "quick", MOVED + "\"NEXT\""));
                tasks.put(name + "-previous", task(schedule, "quick", MOVED + "\"PREVIOUS\""));
            }
        });
        String often = "{\"every\":\"PT4M\"}";
        tasks.put("overlap-skip", task(often, "long", ""));
        tasks.put("overlap-allow", task(often, "long", ",\"overlap\":\"ALLOW\""));
        tasks.put("paused", task(often, "quick", ",\"enabled\":false,\"then\":[\"last\"]"));
        String never = "{\"at\":\"2199-01-01T00:00:00Z\"}";
        tasks.put("first", task("{\"every\":\"PT23M\"}", "long", ",\"then\":[\"second\",\"paused\"]"));
        tasks.put("second", task(never, "long", ",\"then\":[\"last\",\"none\"]"));
        tasks.put("last", task(never, "quick", ""));
        return tasks;
    }

    private static String task(String schedule, String handler, String more) {
        return "{\"schedule\":" + schedule + ",\"handler\":{\"type\":\"java\",\"key\":\"" + handler + "\"}" + more
                + "}";
    }

    private static List<String> forecast(VirtualNode node) {
        long until = START.plus(SPAN).toEpochMilli();
        SlotPlanner planner = new SlotPlanner(START.toEpochMilli(), until, List.of(), Duration.ofDays(30), () -> true);
        List<String> planned = new ArrayList<>();
        Map<Long, Long> runMillis = new HashMap<>();
        Map<TaskName, Task> byName = new HashMap<>();
        for (Task task : node.tasks().list(TaskFilter.ALL, 0, 1000)) {
            runMillis.put(task.id(), "long".equals(task.content().handlerKey()) ? RUN.toMillis() : 0);
            byName.put(task.content().key(), task);
        }
        ChainPlanner chains =
                new ChainPlanner(name -> Optional.ofNullable(byName.get(name)), runMillis, until, () -> true);
        for (Task task : byName.values()) {
            TaskDefinition definition = TaskReader.definition(
                    "forecast", task.content().name(), task.content().definition(), node.calendars());
            List<TaskName> followers = ChainPlanner.followersOf(task, definition);
            if (task.progress().state().name().equals("ACTIVE")) {
                planner.plan(task, definition, runMillis.get(task.id()), slot -> {
                    planned.add(line(task, slot));
                    if (slot.runs()) {
                        chains.plan(
                                followers,
                                slot.endMillis(),
                                node.calendars(),
                                (follower, its, followed) -> planned.add(line(follower, followed)));
                    }
                });
            }
        }
        Collections.sort(planned);
        return planned;
    }

    private static String line(Task task, PlannedSlot slot) {
        return line(task, slot.fireMillis(), slot.runs(), slot.state(), slot.slots());
    }

    private static String line(Task task, long fireMillis, boolean runs, String state, long slots) {
        String name = task.content().name();
        Instant at = Instant.ofEpochMilli(fireMillis);
        return name + " " + (FOLLOWERS.contains(name) ? at.truncatedTo(ChronoUnit.SECONDS) : at) + " "
                + (runs ? "runs" : state) + " " + slots;
    }

    /** Runs that have not ended are runs, too. */
    private static List<String> ledger(VirtualNode node) {
        List<String> ledger = new ArrayList<>();
        for (Task task : node.tasks().list(TaskFilter.ALL, 0, 1000)) {
            for (Execution row : node.executionsOf("forecast", task.content().name())) {
                String state = row.state().name();
                boolean ran =
                        List.of("SUCCEEDED", "RUNNING", "CLAIMED", "PENDING").contains(state);
                if (row.slots().fireMillis() < START.plus(SPAN).toEpochMilli()) {
                    ledger.add(line(
                            task,
                            row.slots().fireMillis(),
                            ran,
                            state,
                            row.slots().count()));
                }
            }
        }
        Collections.sort(ledger);
        return ledger;
    }
}
