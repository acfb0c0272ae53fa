package io.twinbell.tools.importer.systemd;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.importer.ImportCandidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Turns timer units with their services into tasks. */
public final class TimerUnits {
    private static final String TIMER = ".timer";
    private static final List<String> AFTER_BOOT =
            List.of("Timer.OnBootSec", "Timer.OnStartupSec", "Timer.OnActiveSec");

    /** What is translated, or makes no difference to a task. */
    private static final Set<String> KNOWN = Set.of(
            "Timer.OnCalendar",
            "Timer.OnUnitActiveSec",
            "Timer.OnUnitInactiveSec",
            "Timer.OnBootSec",
            "Timer.OnStartupSec",
            "Timer.OnActiveSec",
            "Timer.Unit",
            "Timer.Persistent",
            "Timer.RandomizedDelaySec",
            "Timer.WakeSystem",
            "Timer.AccuracySec",
            "Timer.RemainAfterElapse",
            "Service.Type",
            "Service.ExecStart",
            "Service.ExecStartPre",
            "Service.ExecStartPost",
            "Service.User",
            "Service.DynamicUser",
            "Service.WorkingDirectory",
            "Service.Environment",
            "Service.EnvironmentFile",
            "Service.TimeoutStartSec",
            "Service.TimeoutSec",
            "Service.RuntimeMaxSec",
            "Service.SyslogIdentifier");

    private static final Pattern MATTERS =
            Pattern.compile("(?:Timer|Service)\\..+|Unit\\.(?:Condition|Assert|On[FS]).+");

    private final TreeMap<String, String> files;
    private final Set<String> names = new HashSet<>();
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
        files.keySet().stream()
                .filter(file -> file.endsWith(TIMER))
                .forEach(file -> names.add(file.substring(0, file.length() - TIMER.length())));
    }

    /**
     * Every timer, in the order of names.
     *
     * @param files the text of each unit by its file name, empty if it is masked, and of each drop-in by
     *     {@code <unit>.d/<name>.conf}
     */
    public static List<ImportCandidate> read(Map<String, String> files, Options options) {
        TimerUnits units = new TimerUnits(files, options);
        units.files.keySet().stream().filter(name -> name.endsWith(TIMER)).forEach(units::timer);
        return List.copyOf(units.found);
    }

    private UnitFile unit(String name) {
        UnitFile unit = UnitFile.of(name, files.get(name));
        files.subMap(name + ".d/", name + ".d0").forEach((file, text) -> {
            if (file.endsWith(".conf")) {
                unit.add(file, text);
            }
        });
        return unit;
    }

    private void timer(String file) {
        UnitFile timer;
        try {
            timer = unit(file);
        } catch (IllegalArgumentException e) {
            left(file, "timer", e.getMessage());
            return;
        }
        String name = file.substring(0, file.length() - TIMER.length());
        String service = timer.one("Timer.Unit").orElse(name + ".service");
        String description = timer.one("Unit.Description").orElse("starts " + service);
        if (name.endsWith("@")) {
            left(file, description, "is a template: import its instances as timers of their own");
            return;
        }
        if (files.get(file).isBlank() || files.getOrDefault(service, "none").isBlank()) {
            left(file, description, "is masked: systemd does not start it");
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
            noteTheRest(timer);
            noteTheRest(service);
            for (String event : timer.all("Timer.OnCalendar")) {
                add("OnCalendar=" + event, handler, () -> CalendarEvent.schedule(event, options.zone()));
            }
            interval("OnUnitActiveSec", null, handler);
            interval("OnUnitInactiveSec", "FIXED_DELAY", handler);
            return tasks;
        }

        private void noteTheRest(UnitFile unit) {
            if (!unit.ignored().isEmpty()) {
                notes.add("is neither a section nor a setting, and left out: " + String.join(", ", unit.ignored()));
            }
            List<String> left = unit.names().stream()
                    .filter(key -> MATTERS.matcher(key).matches() && !KNOWN.contains(key))
                    .map(key -> key.substring(key.indexOf('.') + 1))
                    .toList();
            if (!left.isEmpty()) {
                notes.add("settings that a task does not have are left out: " + String.join(", ", left));
            }
        }

        /** The first schedule has the name of the timer, and no other timer has that of a further one. */
        private String nextName() {
            if (tasks.isEmpty()) {
                return name;
            }
            int number = tasks.size() + 1;
            while (!names.add(name + "-" + number)) {
                number++;
            }
            return name + "-" + number;
        }

        /** The time to start is that to run only if the command itself is the start. */
        private Optional<String> timeout() {
            boolean isOneshot = service.one("Service.Type").orElse("simple").equals("oneshot");
            Optional<String> longest = isOneshot
                    ? service.one("Service.TimeoutStartSec").or(() -> service.one("Service.TimeoutSec"))
                    : service.one("Service.RuntimeMaxSec");
            return longest.filter(span -> !span.equals("infinity"))
                    .map(TimeSpan::of)
                    .filter(span -> !span.isZero())
                    .map(Duration::toString);
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
                    .put("name", nextName());
            tasks.add(task);
            try {
                task.set("schedule", schedule.get());
                jitter(task);
                task.set("handler", handler);
                // A timer does not start a service that is still running.
                task.put("overlap", "SKIP");
                task.putObject("misfire").put("policy", timer.is("Timer.Persistent") ? "FIRE_ONCE" : "SKIP");
                timeout().ifPresent(span -> task.put("timeout", span));
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
