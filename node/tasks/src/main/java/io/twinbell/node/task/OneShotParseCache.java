package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.Schedules;
import io.twinbell.node.schedule.Window;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.task.reader.DefinitionReader;
import io.twinbell.persistence.ledger.InstantFormat;

/**
 * Reads stored definitions, and skips parsing if a one-shot differs from the previous one only in its instants, or if
 * its handler is Java, also in its data. Tasks that are added by the thousand usually come from one program and have the
 * same form. Thread-safe.
 */
public final class OneShotParseCache {
    private static final String AT = "\"schedule\": {\"at\": \"";
    private static final String START = "\"start\": \"";

    private volatile Form last;
    private volatile int lastLength;

    /** The position of an instant in a text, with or without milliseconds. */
    private record InstantPosition(int from, int until) {
        static final InstantPosition NOWHERE = new InstantPosition(0, 0);

        /**
         * Returns the position of the instant that follows these words; {@link #NOWHERE} if they do not occur exactly
         * once, or if no instant follows.
         */
        static InstantPosition behind(String words, String json) {
            int found = json.indexOf(words);
            int from = found + words.length();
            int until = json.indexOf('"', from);
            boolean isAlone = found >= 0 && found == json.lastIndexOf(words) && until >= 0;
            return isAlone && new InstantPosition(from, until).millis(json) >= 0
                    ? new InstantPosition(from, until)
                    : NOWHERE;
        }

        /** Returns a negative number if there is no instant at this position. */
        long millis(String json) {
            long millis = InstantFormat.read(json.substring(from, until));
            return millis <= Window.LATEST ? millis : -1;
        }

        /** Writes the instant, truncated to the length of the position. */
        void write(long millis, StringBuilder text) {
            text.replace(from, until - 1, Instants.text(millis).substring(0, until - 1 - from));
        }
    }

    /**
     * The common form of similar definitions.
     *
     * @param text one of the definitions, without its data
     * @param hasData whether the definitions have data of their own
     * @param start the position of the start, if the definition has one
     * @param at the position of the fire time
     */
    private record Form(
            String text, boolean hasData, InstantPosition start, InstantPosition at, TaskDefinition definition) {
        /** Returns the definition of a text of this form; null if the text has another form. */
        TaskDefinition read(String json) {
            int dataEnd = hasData ? StoredDataPrefix.end(json) : 0;
            if (hasData && dataEnd == 0) {
                return null;
            }
            TaskDefinition similar = readRest(json.substring(dataEnd));
            return similar == null || !hasData ? similar : StoredDataPrefix.read(json, dataEnd, similar);
        }

        private TaskDefinition readRest(String rest) {
            InstantPosition first = start.from() < at.from() ? start : at;
            InstantPosition second = first == start ? at : start;
            boolean isSimilar = rest.length() == text.length()
                    && isSame(rest, 0, first.from())
                    && isSame(rest, first.until(), second.from())
                    && isSame(rest, second.until(), text.length());
            if (!isSimilar || start != InstantPosition.NOWHERE && start.millis(rest) < 0) {
                return null;
            }
            long due = at.millis(rest);
            return due < 0 ? null : definition.withSchedule(Schedules.at(due));
        }

        private boolean isSame(String rest, int from, int until) {
            return rest.regionMatches(from, text, from, until - from);
        }

        String with(long millis) {
            StringBuilder changed = new StringBuilder(text);
            at.write(millis, changed);
            if (start != InstantPosition.NOWHERE) {
                start.write(millis, changed);
            }
            return (hasData ? StoredDataPrefix.SAMPLE : "") + changed;
        }
    }

    /** Returns the same result as {@link TaskReader#definition}. */
    public TaskDefinition read(String app, String name, String json, Calendars calendars) {
        Form form = last;
        TaskDefinition similar = form == null ? null : form.read(json);
        if (similar != null) {
            return similar;
        }
        TaskDefinition definition = TaskReader.definition(app, name, json, calendars);
        // Only the data of Java handlers affects nothing else in the definition.
        int dataEnd = definition.handler() instanceof HandlerSpec.JavaCode ? StoredDataPrefix.end(json) : 0;
        // The form is computed only after two texts of equal length: if all texts differ, it would cost more than it
        // saves.
        int length = json.length() - dataEnd;
        if (length == lastLength) {
            last = form(app, name, json, dataEnd, calendars, definition);
        }
        lastLength = length;
        return definition;
    }

    /** Returns the form; null if the instants affect more of the definition than the fire time. */
    private static Form form(
            String app, String name, String json, int dataEnd, Calendars calendars, TaskDefinition definition) {
        String text = json.substring(dataEnd);
        InstantPosition at = InstantPosition.behind(AT, text);
        if (at == InstantPosition.NOWHERE || !definition.schedule().equals(Schedules.at(at.millis(text)))) {
            return null;
        }
        Form form = new Form(text, dataEnd > 0, InstantPosition.behind(START, text), at, definition);
        return isInstant(form, Window.EARLIEST, app, name, calendars)
                        && isInstant(form, Window.LATEST, app, name, calendars)
                ? form
                : null;
    }

    private static boolean isInstant(Form form, long millis, String app, String name, Calendars calendars) {
        try {
            String json = form.with(millis);
            return TaskReader.definition(app, name, json, calendars).equals(form.read(json));
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** The data of a stored definition, if it starts with it. PostgreSQL writes short members first. */
    private static final class StoredDataPrefix {
        private static final String MEMBER = "{\"data\": ";

        /** The start of a definition with some data. */
        static final String SAMPLE = MEMBER + "[0]";

        private StoredDataPrefix() {}

        /** Returns the position behind the value of the data; 0 if the definition starts with another member. */
        static int end(String json) {
            if (!json.startsWith(MEMBER)) {
                return 0;
            }
            int depth = 0;
            boolean isInText = false;
            for (int i = MEMBER.length(); i < json.length(); i++) {
                char c = json.charAt(i);
                if (isInText) {
                    if (c == '\\') {
                        i++;
                    } else if (c == '"') {
                        isInText = false;
                    }
                } else if (c == '"') {
                    isInText = true;
                } else if (c == '{' || c == '[') {
                    depth++;
                } else if (depth == 0 && (c == ',' || c == '}')) {
                    return i;
                } else if (c == '}' || c == ']') {
                    depth--;
                }
            }
            return 0;
        }

        /** Returns the definition with the data of this text; null if the text must be read whole. */
        static TaskDefinition read(String json, int end, TaskDefinition definition) {
            JsonNode data = StrictJson.readStored(json.substring(MEMBER.length(), end));
            if (DefinitionReader.isTooDeep(data)) {
                return null;
            }
            return definition.withData(data.isNull() ? null : StrictJson.write(data));
        }
    }
}
