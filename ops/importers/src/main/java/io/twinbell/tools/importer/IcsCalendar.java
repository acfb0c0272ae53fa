package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.importer.IcsFile.IcsComponent;
import io.twinbell.tools.importer.IcsFile.IcsProperty;
import io.twinbell.tools.importer.IcsTimes.IcsTime;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Reads the events of an iCalendar file. An event that recurs becomes a task with its rule, any other one a one-shot. A
 * changed occurrence becomes a one-shot of its own, and an exception of the series.
 */
public final class IcsCalendar {
    private static final int MAX_EVENTS = 5_000;
    /** Times in RDATE, EXDATE and RECURRENCE-ID of all events together. */
    private static final int MAX_TIMES = 250_000;
    /** A rule with one occurrence, for events that list their other times in RDATE. */
    private static final String ONCE = "FREQ=DAILY;COUNT=1";
    /** What is imported, or describes the record and not the event. */
    private static final Set<String> KNOWN = Set.of(
            "UID",
            "SUMMARY",
            "STATUS",
            "DTSTART",
            "DTEND",
            "DURATION",
            "RRULE",
            "RDATE",
            "EXDATE",
            "EXRULE",
            "RECURRENCE-ID",
            "DTSTAMP",
            "CREATED",
            "LAST-MODIFIED",
            "SEQUENCE",
            "TRANSP",
            "CLASS",
            "PRIORITY");

    private final Options options;
    private final UniqueNames names = new UniqueNames();
    private final List<ImportCandidate> found = new ArrayList<>();
    private final Map<String, Integer> series = new HashMap<>();
    private IcsTimes times;
    private boolean isCancelled;
    private int timesRead;

    /**
     * How to read the file.
     *
     * @param app the app of the tasks
     * @param zone the zone of times that name none; null for that of the file, or else of this machine
     * @param zones known zones by the names that the file has for them
     * @param handler adds the handler to a task
     */
    public record Options(String app, String zone, Map<String, String> zones, Consumer<ObjectNode> handler) {}

    private IcsCalendar(Options options) {
        this.options = options;
    }

    /**
     * All events, in order, and everything else that is not imported.
     *
     * @throws IllegalArgumentException if the text is not an iCalendar file, or has more than 5,000 events
     */
    public static List<ImportCandidate> read(String text, Options options) {
        IcsCalendar calendar = new IcsCalendar(options);
        IcsFile.read(text).forEach(calendar::read);
        return List.copyOf(calendar.found);
    }

    private void read(IcsComponent file) {
        if (!file.text("CALSCALE").isEmpty() && !file.text("CALSCALE").equalsIgnoreCase("GREGORIAN")) {
            throw new IllegalArgumentException("line " + file.line() + ": the calendar has CALSCALE "
                    + file.text("CALSCALE") + ", and only GREGORIAN is supported");
        }
        isCancelled = file.text("METHOD").equalsIgnoreCase("CANCEL");
        times = new IcsTimes(zone(file), options.zones(), file);
        Map<String, List<IcsComponent>> changed = new LinkedHashMap<>();
        List<IcsComponent> events = file.children().stream()
                .filter(one -> one.name().equals("VEVENT"))
                .toList();
        if (events.size() > MAX_EVENTS) {
            throw new IllegalArgumentException("the file has more than " + MAX_EVENTS + " events");
        }
        events.stream()
                .filter(IcsCalendar::isChangedOccurrence)
                .forEach(event -> changed.computeIfAbsent(event.text("UID"), uid -> new ArrayList<>())
                        .add(event));
        for (IcsComponent component : file.children()) {
            String where = "line " + component.line();
            switch (component.name()) {
                case "VEVENT" -> event(where, component, changed.getOrDefault(component.text("UID"), List.of()));
                case "VTIMEZONE" -> {
                    // Its zone is found by its name.
                }
                default ->
                    found.add(ImportCandidate.left(where, title(component), component.name() + " is not an event"));
            }
        }
    }

    private ZoneId zone(IcsComponent file) {
        String named = options.zone() == null ? file.text("X-WR-TIMEZONE") : options.zone();
        try {
            return named.isEmpty()
                    ? ZoneId.systemDefault()
                    : ZoneId.of(options.zones().getOrDefault(named, named));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("unknown time zone " + named + ": give --zone");
        }
    }

    private static boolean isChangedOccurrence(IcsComponent event) {
        return !event.all("RECURRENCE-ID").isEmpty();
    }

    private static String title(IcsComponent component) {
        String summary = component.text("SUMMARY");
        return summary.isEmpty() ? component.name() + " " + component.text("UID") : summary;
    }

    private void event(String where, IcsComponent event, List<IcsComponent> changed) {
        String title = title(event);
        try {
            if (isCancelled || event.text("STATUS").equalsIgnoreCase("CANCELLED")) {
                found.add(ImportCandidate.left(where, title, "is cancelled"));
                return;
            }
            requireNewSeries(event);
            List<String> notes = new ArrayList<>();
            ObjectNode task = JsonNodeFactory.instance.objectNode();
            task.put("app", options.app());
            ObjectNode schedule = schedule(event, isChangedOccurrence(event) ? List.of() : changed, notes);
            task.put("name", names.of(title));
            task.set("schedule", schedule);
            options.handler().accept(task);
            task.putObject("data").put("uid", event.text("UID")).put("summary", event.text("SUMMARY"));
            if (event.children().stream().anyMatch(child -> child.name().equals("VALARM"))) {
                notes.add("its alarms are left out");
            }
            noteTheRest(event, notes);
            found.add(ImportCandidate.taken(where, title, task, notes));
        } catch (IllegalArgumentException e) {
            found.add(ImportCandidate.left(where, title, e.getMessage()));
        }
    }

    /** Two events with one UID would share their changed occurrences. */
    private void requireNewSeries(IcsComponent event) {
        String uid = event.text("UID");
        Integer before = uid.isEmpty() || isChangedOccurrence(event) ? null : series.putIfAbsent(uid, event.line());
        if (before != null) {
            throw new IllegalArgumentException("has the UID of the event in line " + before);
        }
    }

    private static void noteTheRest(IcsComponent event, List<String> notes) {
        Set<String> left = new TreeSet<>();
        for (IcsProperty property : event.properties()) {
            if (!KNOWN.contains(property.name()) && !property.name().startsWith("X-")) {
                left.add(property.name());
            }
        }
        if (!left.isEmpty()) {
            notes.add("properties that a task does not have are left out: " + String.join(", ", left));
        }
    }

    private ObjectNode schedule(IcsComponent event, List<IcsComponent> changed, List<String> notes) {
        if (event.all("DTSTART").size() != 1) {
            throw new IllegalArgumentException("has no DTSTART, or several");
        }
        IcsTime start = times.one(event.all("DTSTART").get(0));
        List<IcsProperty> rules = event.all("RRULE");
        if (rules.size() > 1 || !event.all("EXRULE").isEmpty()) {
            throw new IllegalArgumentException("has several RRULE, or an EXRULE: a schedule has one rule");
        }
        if (start.isDate()) {
            notes.add("an event of a whole day fires at 00:00 in " + start.zone());
        }
        List<String> added = texts(event.all("RDATE"), start.zone());
        ObjectNode schedule = JsonNodeFactory.instance.objectNode();
        if (rules.isEmpty() && added.isEmpty()) {
            return schedule.put(
                    "at",
                    ImportedTimes.text(
                            "its DTSTART", start.time().atZone(start.zone()).toInstant(), notes));
        }
        schedule.put("rrule", rules.isEmpty() ? ONCE : rules.get(0).value().strip());
        schedule.put("dtstart", start.text());
        schedule.put(
                "zone",
                start.zone().equals(ZoneOffset.UTC) ? "UTC" : start.zone().getId());
        list(schedule, "rdate", added);
        List<String> removed = new ArrayList<>(texts(event.all("EXDATE"), start.zone()));
        if (removed.size() + changed.size() > IcsTimes.MAX_TIMES) {
            throw new IllegalArgumentException(
                    "has more than " + IcsTimes.MAX_TIMES + " exceptions and changed occurrences");
        }
        for (IcsComponent occurrence : changed) {
            removed.addAll(texts(occurrence.all("RECURRENCE-ID"), start.zone()));
        }
        list(schedule, "exdate", removed);
        if (!changed.isEmpty()) {
            notes.add(changed.size() + (changed.size() == 1 ? " changed occurrence is" : " changed occurrences are")
                    + " left out of the series");
        }
        return schedule;
    }

    private List<String> texts(List<IcsProperty> properties, ZoneId zone) {
        List<String> texts = new ArrayList<>();
        for (IcsProperty property : properties) {
            if (property.parameters().containsKey("RANGE")) {
                throw new IllegalArgumentException("has a change for all later occurrences (RANGE)");
            }
            List<IcsTime> read = times.all(property);
            timesRead += read.size();
            if (timesRead > MAX_TIMES) {
                throw new IllegalArgumentException(
                        "comes after " + MAX_TIMES + " times in RDATE and EXDATE: import the file in parts");
            }
            read.forEach(time -> texts.add(time.in(zone).text()));
            if (texts.size() > IcsTimes.MAX_TIMES) {
                throw new IllegalArgumentException(
                        "has more than " + IcsTimes.MAX_TIMES + " times in " + property.name());
            }
        }
        return texts;
    }

    private static void list(ObjectNode schedule, String name, List<String> values) {
        if (!values.isEmpty()) {
            ArrayNode list = schedule.putArray(name);
            values.forEach(list::add);
        }
    }
}
