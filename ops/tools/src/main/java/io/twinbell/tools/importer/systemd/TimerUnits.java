package io.twinbell.tools.importer.systemd;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.importer.ImportCandidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Turns timer units with their services into tasks. */
public final class TimerUnits {
    private static final String TIMER = ".timer";
    private static final List<String> AFTER_BOOT =
            List.of("Timer.OnBootSec", "Timer.OnStartupSec", "Timer.OnActiveSec");

    private final Map<String, String> files;
    private final Options options;
    private final List<ImportCandidate> found = new ArrayList<>();

    /**
     * How to read the units.
     *
     * @param app the app of the tasks
     * @param zone the time zone of the machine
     * @param nodeUser the user that runs the node and needs no sudo; null if unknown
     * @param sudo whether services of other users run through {@code sudo}
     */
    public record Options(String app, String zone, String nodeUser, boolean sudo) {}

    private TimerUnits(Map<String, String> files, Options options) {
        this.files = new TreeMap<>(files);
        this.options = options;
    }

    /**
     * Every timer, in the order of names.
     *
     * @param files the text of each unit by its file name, and of each drop-in by {@code <unit>.d/<name>.conf}
     */
    public static List<ImportCandidate> read(Map<String, String> files, Options options) {
        TimerUnits units = new TimerUnits(files, options);
        units.files.keySet().stream().filter(name -> name.endsWith(TIMER)).forEach(units::timer);
        return List.copyOf(units.found);
    }

    private UnitFile unit(String name) {
        UnitFile unit = UnitFile.of(files.get(name));
        files.forEach((file, text) -> {
            if (file.startsWith(name + ".d/") && file.endsWith(".conf")) {
                unit.add(text);
            }
        });
        return unit;
    }

    private void timer(String file) {
        UnitFile timer = unit(file);
        String name = file.substring(0, file.length() - TIMER.length());
        String service = timer.one("Timer.Unit").orElse(name + ".service");
        String description = timer.one("Unit.Description").orElse("starts " + service);
        if (name.endsWith("@")) {
            left(file, description, "is a template: import its instances as timers of their own");
            return;
        }
        if (!files.containsKey(service)) {
            left(file, description, "its unit " + service + " is not among the files: give its directory too");
            return;
        }
        try {
            List<ObjectNode> tasks = new TimerTasks(name, timer, unit(service)).all();
            if (tasks.isEmpty()) {
                left(file, description, "fires only after a boot or the start of the timer, and a pair has neither");
            }
        } catch (IllegalArgumentException e) {
            left(file, description, e.getMessage());
        }
    }

    /** The tasks of one timer: one for each of its schedules. */
    private final class TimerTasks {
        private final String name;
        private final UnitFile timer;
        private final UnitFile service;
        private final List<String> notes = new ArrayList<>();
        private final List<ObjectNode> tasks = new ArrayList<>();

        TimerTasks(String name, UnitFile timer, UnitFile service) {
            this.name = name;
            this.timer = timer;
            this.service = service;
        }

        /** @throws IllegalArgumentException if the service cannot run as a task */
        List<ObjectNode> all() {
            ObjectNode handler = new ServiceCommand(service, options.nodeUser(), options.sudo(), notes).handler();
            for (String key : AFTER_BOOT) {
                timer.one(key)
                        .ifPresent(span -> notes.add(
                                key.substring("Timer.".length()) + "=" + span + " is left out: a pair has no boot"));
            }
            if (timer.is("Timer.WakeSystem")) {
                notes.add("WakeSystem is left out");
            }
            for (String event : timer.all("Timer.OnCalendar")) {
                add("OnCalendar=" + event, handler, () -> CalendarEvent.schedule(event, options.zone()));
            }
            interval("OnUnitActiveSec", null, handler);
            interval("OnUnitInactiveSec", "FIXED_DELAY", handler);
            return tasks;
        }

        private void interval(String key, String mode, ObjectNode handler) {
            timer.one("Timer." + key)
                    .ifPresent(span -> add(key + "=" + span, handler, () -> {
                        ObjectNode schedule = JsonNodeFactory.instance
                                .objectNode()
                                .put("every", TimeSpan.of(span).toString());
                        return mode == null ? schedule : schedule.put("mode", mode);
                    }));
        }

        private void add(String description, ObjectNode handler, Supplier<ObjectNode> schedule) {
            ObjectNode task = JsonNodeFactory.instance
                    .objectNode()
                    .put("app", options.app())
                    .put("name", tasks.isEmpty() ? name : name + "-" + (tasks.size() + 1));
            tasks.add(task);
            try {
                task.set("schedule", schedule.get());
                jitter(task);
                task.set("handler", handler);
                // A timer does not start a service that is still running.
                task.put("overlap", "SKIP");
                task.putObject("misfire").put("policy", timer.is("Timer.Persistent") ? "FIRE_ONCE" : "SKIP");
                service.one("Service.TimeoutStartSec")
                        .or(() -> service.one("Service.RuntimeMaxSec"))
                        .filter(span -> !span.equals("infinity") && !span.equals("0"))
                        .ifPresent(span -> task.put("timeout", TimeSpan.of(span).toString()));
                found.add(ImportCandidate.taken(name + TIMER, description, task, notes));
            } catch (IllegalArgumentException e) {
                left(name + TIMER, description, e.getMessage());
            }
        }

        private void jitter(ObjectNode task) {
            Optional<Duration> delay = timer.one("Timer.RandomizedDelaySec").map(TimeSpan::of);
            if (delay.isPresent() && delay.get().compareTo(Duration.ofHours(24)) > 0) {
                throw new IllegalArgumentException("has a RandomizedDelaySec of more than 24 hours");
            }
            delay.filter(span -> !span.isZero()).ifPresent(span -> task.put("jitter", span.toString()));
        }
    }

    private void left(String file, String description, String obstacle) {
        found.add(ImportCandidate.left(file, description, obstacle));
    }
}
