package io.twinbell.node.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.NearestName;
import io.twinbell.node.schedule.text.SafeQuote;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The members of a schedule's JSON object, checked to belong to exactly one kind of schedule.
 *
 * @param kind the member that determines the kind: cron, rrule, every, at or in
 */
record ScheduleMembers(JsonNode object, String kind) {
    private static final Map<String, List<String>> BELONGING = Map.of(
            "cron", List.of("dialect", "zone", "dstGap", "dstOverlap"),
            "rrule", List.of("dtstart", "rdate", "exdate", "zone", "dstGap", "dstOverlap"),
            "every", List.of("mode", "align", "first"),
            "at", List.of("past"),
            "in", List.of());

    private static final List<String> KINDS =
            BELONGING.keySet().stream().sorted().toList();

    static ScheduleMembers of(JsonNode schedule) {
        if (schedule == null || !schedule.isObject()) {
            throw new ScheduleException("", "a schedule is a JSON object with cron, rrule, every, at or in");
        }
        List<String> kinds = new ArrayList<>(1);
        for (String kind : KINDS) {
            if (schedule.has(kind)) {
                kinds.add(kind);
            }
        }
        if (kinds.size() != 1) {
            String found = kinds.isEmpty() ? "none of them" : String.join(" and ", kinds);
            throw new ScheduleException(
                    "", "a schedule has exactly one of cron, rrule, every, at and in; this one has " + found);
        }
        ScheduleMembers members = new ScheduleMembers(schedule, kinds.get(0));
        members.refuseUnknown();
        return members;
    }

    boolean has(String name) {
        return object.has(name);
    }

    String text(String name) {
        JsonNode value = object.get(name);
        if (!value.isTextual()) {
            throw new ScheduleException("/" + name, name + " must be a string");
        }
        return value.textValue();
    }

    /** Returns the strings of a list; none if the member is absent. */
    List<String> texts(String name, int most) {
        if (!has(name)) {
            return List.of();
        }
        JsonNode list = object.get(name);
        if (!list.isArray() || list.size() > most) {
            throw new ScheduleException("/" + name, name + " must be a list of at most " + most + " strings");
        }
        List<String> texts = new ArrayList<>(list.size());
        for (JsonNode value : list) {
            if (!value.isTextual()) {
                throw new ScheduleException("/" + name + "/" + texts.size(), name + " must be a list of strings");
            }
            texts.add(value.textValue());
        }
        return texts;
    }

    /** Returns the enum constant with exactly this name, or the default if the member is absent. */
    <E extends Enum<E>> E choice(String name, Class<E> type, E byDefault) {
        if (!has(name)) {
            return byDefault;
        }
        String text = text(name);
        List<E> choices = Arrays.asList(type.getEnumConstants());
        return choices.stream()
                .filter(choice -> choice.name().equals(text))
                .findFirst()
                .orElseThrow(() -> new ScheduleException(
                        "/" + name,
                        name + " is " + SafeQuote.of(text) + "; allowed are " + choices + hint(text, choices)));
    }

    private static String hint(String text, List<? extends Enum<?>> choices) {
        return NearestName.hint(text, choices.stream().map(Enum::name).toList());
    }

    private static boolean isKnown(String name) {
        return BELONGING.values().stream().anyMatch(names -> names.contains(name));
    }

    private void refuseUnknown() {
        Iterator<String> names = object.fieldNames();
        while (names.hasNext()) {
            String name = names.next();
            // Generated clients send an empty list for each list that the program has not set.
            boolean isEmpty =
                    object.get(name).isContainerNode() && object.get(name).isEmpty();
            if (!name.equals(kind) && !BELONGING.get(kind).contains(name) && !(isEmpty && isKnown(name))) {
                throw new ScheduleException(
                        "/" + name.replace("~", "~0").replace("/", "~1"),
                        SafeQuote.of(name) + " does not belong in a schedule with " + kind + "; allowed are " + kind
                                + String.join(
                                        "",
                                        BELONGING.get(kind).stream()
                                                .map(m -> ", " + m)
                                                .toList()));
            }
        }
    }
}
