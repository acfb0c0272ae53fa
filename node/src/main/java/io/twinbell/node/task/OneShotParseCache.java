package io.twinbell.node.task;

import io.twinbell.node.json.Instants;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.Schedules;
import io.twinbell.node.schedule.Window;
import io.twinbell.persistence.ledger.InstantFormat;

/**
 * Reads stored definitions, and those of one-shots without parsing them if they differ from the one before in nothing but
 * their instants: tasks that are added by the thousand are written by one program. Any thread.
 */
public final class OneShotParseCache {
    private static final String AT = "\"schedule\": {\"at\": \"";
    private static final String START = "\"start\": \"";

    private volatile Form last;
    private volatile int lastLength;

    /** Where an instant stands in a text, with milliseconds or without. */
    private record Place(int from, int until) {
        static final Place NOWHERE = new Place(0, 0);

        /** The instant that stands behind the only such words; {@link #NOWHERE} if none does. */
        static Place behind(String words, String json) {
            int found = json.indexOf(words);
            int from = found + words.length();
            int until = json.indexOf('"', from);
            boolean isAlone = found >= 0 && found == json.lastIndexOf(words) && until >= 0;
            return isAlone && new Place(from, until).millis(json) >= 0 ? new Place(from, until) : NOWHERE;
        }

        /** Negative if no instant stands there. */
        long millis(String json) {
            long millis = InstantFormat.read(json.substring(from, until));
            return millis <= Window.LATEST ? millis : -1;
        }

        /** As much of the spelling of an instant as there is room for. */
        void write(long millis, StringBuilder text) {
            text.replace(from, until - 1, Instants.text(millis).substring(0, until - 1 - from));
        }
    }

    /**
     * What such definitions have in common.
     *
     * @param text one of them
     * @param start since when it is, if it says so
     * @param at when it is due
     */
    private record Form(String text, Place start, Place at, TaskDefinition definition) {
        /** The definition that a text of this form means; null if it has another. */
        TaskDefinition read(String json) {
            Place first = start.from() < at.from() ? start : at;
            Place second = first == start ? at : start;
            boolean isSimilar = json.length() == text.length()
                    && isSame(json, 0, first.from())
                    && isSame(json, first.until(), second.from())
                    && isSame(json, second.until(), text.length());
            if (!isSimilar || start != Place.NOWHERE && start.millis(json) < 0) {
                return null;
            }
            long due = at.millis(json);
            return due < 0 ? null : definition.at(due);
        }

        private boolean isSame(String json, int from, int until) {
            return json.regionMatches(from, text, from, until - from);
        }

        String with(long millis) {
            StringBuilder changed = new StringBuilder(text);
            at.write(millis, changed);
            if (start != Place.NOWHERE) {
                start.write(millis, changed);
            }
            return changed.toString();
        }
    }

    /** What {@link TaskReader#definition} answers. */
    public TaskDefinition read(String app, String name, String json, Calendars calendars) {
        Form form = last;
        TaskDefinition similar = form == null ? null : form.read(json);
        if (similar != null) {
            return similar;
        }
        TaskDefinition definition = TaskReader.definition(app, name, json, calendars);
        // Where each differs from the one before, to find that out is not worth its time.
        if (json.length() == lastLength) {
            last = form(app, name, json, calendars, definition);
        }
        lastLength = json.length();
        return definition;
    }

    /** Null if anything but the instant that it is due at depends on its instants. */
    private static Form form(String app, String name, String json, Calendars calendars, TaskDefinition definition) {
        Place at = Place.behind(AT, json);
        if (at == Place.NOWHERE || !definition.schedule().equals(Schedules.at(at.millis(json)))) {
            return null;
        }
        Form form = new Form(json, Place.behind(START, json), at, definition);
        return means(form, Window.EARLIEST, app, name, calendars) && means(form, Window.LATEST, app, name, calendars)
                ? form
                : null;
    }

    private static boolean means(Form form, long millis, String app, String name, Calendars calendars) {
        try {
            String json = form.with(millis);
            TaskDefinition meant = form.definition().at(form.at().millis(json));
            return TaskReader.definition(app, name, json, calendars).equals(meant);
        } catch (RuntimeException e) {
            return false;
        }
    }
}
