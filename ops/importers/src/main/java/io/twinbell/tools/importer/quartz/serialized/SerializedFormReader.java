package io.twinbell.tools.importer.quartz.serialized;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.ControlCharacters;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.SimpleTimeZone;
import java.util.TimeZone;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.quartz.impl.calendar.AnnualCalendar;
import org.quartz.impl.calendar.BaseCalendar;
import org.quartz.impl.calendar.HolidayCalendar;
import org.quartz.impl.calendar.WeeklyCalendar;

/** Reads what Quartz has serialized. No class is loaded except those of plain data and Quartz's maps and calendars. */
public final class SerializedFormReader {
    /** Limit of one serialized form. */
    public static final int MAX_BYTES = 1024 * 1024;

    private static final int MAX_DEPTH = 60;
    private static final int MAX_REFERENCES = 200_000;
    private static final int MAX_CALENDARS = 100;
    private static final byte DELETE = 0x7f;
    private static final Duration LONGEST_READ = Duration.ofSeconds(10);
    private static final String QUARTZ = "org.quartz.";
    private static final Set<String> DATA = Set.of(
            "org.quartz.JobDataMap",
            "org.quartz.utils.DirtyFlagMap",
            "org.quartz.utils.StringKeyDirtyFlagMap",
            "org.quartz.impl.calendar.BaseCalendar",
            "org.quartz.impl.calendar.HolidayCalendar",
            "org.quartz.impl.calendar.WeeklyCalendar",
            "org.quartz.impl.calendar.AnnualCalendar",
            "java.util.ArrayList",
            "java.util.HashMap",
            "java.util.LinkedHashMap",
            "java.util.TreeMap",
            "java.util.TreeSet",
            "java.lang.Boolean",
            "java.lang.Byte",
            "java.lang.Character",
            "java.lang.Double",
            "java.lang.Enum",
            "java.lang.Float",
            "java.lang.Integer",
            "java.lang.Long",
            "java.lang.Number",
            "java.lang.Short",
            "java.lang.String",
            "java.math.BigDecimal",
            "java.math.BigInteger",
            "java.util.Calendar",
            "java.util.Date",
            "java.util.GregorianCalendar",
            "java.util.SimpleTimeZone",
            "java.util.TimeZone",
            "sun.util.calendar.ZoneInfo",
            "[B",
            "[I",
            "[J",
            "[Z",
            "[Ljava.lang.Object;",
            "[Ljava.util.Map$Entry;");

    private SerializedFormReader() {}

    /**
     * Reads a map of job data.
     *
     * @param bytes serialized, or as properties; null or empty for an empty map
     * @throws UnreadableException if it contains anything except texts, numbers, dates, lists and maps, or is
     *     incomplete
     */
    public static ObjectNode data(byte[] bytes) throws UnreadableException {
        return data(bytes, LONGEST_READ);
    }

    static ObjectNode data(byte[] bytes, Duration longest) throws UnreadableException {
        if (bytes == null || bytes.length == 0) {
            return JsonNodeFactory.instance.objectNode();
        }
        boolean isSerialized = bytes.length > 1 && (bytes[0] & 0xff) == 0xac && (bytes[1] & 0xff) == 0xed;
        return read(
                bytes,
                longest,
                () -> isSerialized ? new SerializedFormJson().members(thawed(bytes)) : properties(bytes));
    }

    /**
     * Reads any serialized value that JSON can represent.
     *
     * @throws UnreadableException if it is or contains anything else
     */
    public static JsonNode value(byte[] bytes) throws UnreadableException {
        return read(bytes, LONGEST_READ, () -> new SerializedFormJson().value(thawed(bytes)));
    }

    private static ObjectNode properties(byte[] bytes) throws UnreadableException {
        // As Quartz writes them: other bytes would be read as some Latin text.
        for (byte octet : bytes) {
            if (octet < ' ' && octet != '\n' && octet != '\r' && octet != '\t' || octet == DELETE) {
                throw new UnreadableException("is neither serialized nor properties: it has bytes that are not text");
            }
        }
        Properties properties = new OnceProperties();
        try {
            properties.load(new ByteArrayInputStream(bytes));
        } catch (IOException | IllegalArgumentException e) {
            throw new UnreadableException("is neither serialized nor properties: " + e.getMessage());
        }
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        properties.stringPropertyNames().stream()
                .sorted()
                .forEach(name -> json.put(name, properties.getProperty(name)));
        return json;
    }

    /** The last of two values would win in silence. */
    private static final class OnceProperties extends Properties {
        private static final long serialVersionUID = 1L;

        @Override
        public synchronized Object put(Object key, Object value) {
            if (super.put(key, value) != null) {
                throw new IllegalArgumentException("\"" + key + "\" is there twice");
            }
            return null;
        }
    }

    /**
     * Limits the size and the time, and turns every failure into one exception: for a stream that was tampered with, the
     * JDK's readers throw any exception and recurse over class descriptions without a bound. A map hashes its keys while
     * it is read. If a key is a list that contains another list twice, and so on, that takes forever. Such a thread
     * cannot be stopped; it is left behind.
     */
    private static <T> T read(byte[] bytes, Duration longest, Callable<T> reading) throws UnreadableException {
        if (bytes.length > MAX_BYTES) {
            throw new UnreadableException("is longer than " + MAX_BYTES + " bytes");
        }
        FutureTask<T> task = new FutureTask<>(reading);
        Thread thread = new Thread(task, "serialized-form");
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new UnreadableException("takes more than " + longest.toMillis()
                    + " ms to read: it may contain a map with lists or maps as keys");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnreadableException("was not read: the import was interrupted");
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
    }

    private static UnreadableException failure(Throwable cause) {
        if (cause instanceof UnreadableException known) {
            return known;
        }
        if (cause instanceof StackOverflowError) {
            return new UnreadableException("is nested too deeply");
        }
        if (cause instanceof Error broken) {
            throw broken;
        }
        return new UnreadableException("is damaged: " + cause);
    }

    /**
     * Reads a calendar and its base calendars, each in the API's form without its name.
     *
     * @param otherwise the zone of calendars that name none
     */
    public static List<ObjectNode> calendars(byte[] bytes, ZoneId otherwise) throws UnreadableException {
        if (bytes == null) {
            throw new UnreadableException("is empty");
        }
        return read(bytes, LONGEST_READ, () -> chain(thawed(bytes), otherwise));
    }

    private static List<ObjectNode> chain(Object first, ZoneId otherwise) throws UnreadableException {
        List<ObjectNode> calendars = new ArrayList<>();
        int length = 0;
        for (Object next = first; next != null; ) {
            if (!(next instanceof BaseCalendar calendar)) {
                throw new UnreadableException("contains " + next.getClass().getName() + ", which is not a calendar");
            }
            if (++length > MAX_CALENDARS) {
                throw new UnreadableException(
                        "has a chain of more than " + MAX_CALENDARS + " base calendars, or a cycle");
            }
            ZoneId zone = calendar.getTimeZone() == null ? otherwise : zone(calendar.getTimeZone());
            ObjectNode json = json(calendar, zone);
            if (json != null) {
                json.put("zone", zone.getId());
                String description = calendar.getDescription();
                if (description != null && !description.isBlank()) {
                    json.put(
                            "description", ControlCharacters.spaced(description).strip());
                }
                calendars.add(json);
            }
            next = calendar.getBaseCalendar();
        }
        return calendars;
    }

    private static ZoneId zone(TimeZone zone) throws UnreadableException {
        try {
            if (!(zone instanceof SimpleTimeZone)) {
                return zone.toZoneId();
            }
        } catch (DateTimeException e) {
            // Has no such zone, as below.
        }
        throw new UnreadableException("has the time zone " + zone.getID() + ", whose rules are unknown here");
    }

    /** Null if the calendar itself excludes nothing. */
    private static ObjectNode json(BaseCalendar calendar, ZoneId zone) throws UnreadableException {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        if (calendar instanceof HolidayCalendar holidays) {
            ArrayNode dates = json.putArray("dates");
            for (Date date : items(holidays.getExcludedDates(), Date.class)) {
                dates.add(date.toInstant().atZone(zone).toLocalDate().toString());
            }
        } else if (calendar instanceof WeeklyCalendar weekly) {
            String[] names = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};
            ArrayNode days = JsonNodeFactory.instance.arrayNode();
            boolean[] excluded = weekly.getDaysExcluded();
            for (int i = 0; i < names.length; i++) {
                if (excluded.length > i + 1 && excluded[i + 1]) {
                    days.add(names[i]);
                }
            }
            if (!days.isEmpty()) {
                json.putArray("weekly").addObject().set("days", days);
            }
        } else if (calendar instanceof AnnualCalendar annual) {
            ArrayNode days = json.putArray("yearly");
            for (Calendar day : items(annual.getDaysExcluded(), Calendar.class)) {
                days.add(String.format(
                        Locale.ROOT, "%02d-%02d", day.get(Calendar.MONTH) + 1, day.get(Calendar.DAY_OF_MONTH)));
            }
        } else {
            return null;
        }
        return json;
    }

    private static <T> List<T> items(Collection<?> items, Class<T> type) throws UnreadableException {
        if (items == null || !items.stream().allMatch(type::isInstance)) {
            throw new UnreadableException("does not contain a list of " + type.getName());
        }
        return items.stream().map(type::cast).toList();
    }

    private static Object thawed(byte[] bytes) throws UnreadableException {
        try (DataOnly stream = new DataOnly(bytes)) {
            return stream.readObject();
        } catch (InvalidClassException e) {
            throw new UnreadableException(
                    e.classname == null
                            ? "has more levels, objects or elements than it may have"
                            : "contains " + e.classname + ", which "
                                    + e.getMessage().replaceFirst("^.*?; ", ""));
        } catch (IOException | ClassNotFoundException e) {
            throw new UnreadableException("is damaged: " + e);
        }
    }

    /** Object input stream that rejects every other class before any of its code could run. */
    private static final class DataOnly extends ObjectInputStream {
        private final int size;
        private long elements;

        DataOnly(byte[] bytes) throws IOException {
            super(new ByteArrayInputStream(bytes));
            size = bytes.length;
            setObjectInputFilter(this::check);
        }

        /**
         * Each element takes at least a byte, so an array with more elements than bytes is rejected. The JDK's lists and
         * maps ask before they allocate their arrays.
         */
        private ObjectInputFilter.Status check(ObjectInputFilter.FilterInfo info) {
            elements += Math.max(0, info.arrayLength());
            boolean isBounded = info.depth() <= MAX_DEPTH && info.references() <= MAX_REFERENCES && elements <= size;
            boolean isData = info.serialClass() == null
                    || DATA.contains(info.serialClass().getName());
            return isBounded && isData ? ObjectInputFilter.Status.ALLOWED : ObjectInputFilter.Status.REJECTED;
        }

        /** Before the filter, which needs a loaded class: the others are named even if they are not here. */
        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            String name = description.getName();
            if (!DATA.contains(name)) {
                throw new InvalidClassException(
                        name,
                        name.startsWith(QUARTZ) ? "has no equivalent in Twinbell" : "is not a supported data type");
            }
            return super.resolveClass(description);
        }

        @Override
        protected Class<?> resolveProxyClass(String[] interfaces) throws IOException {
            throw new InvalidClassException(String.join(", ", interfaces), "is a proxy");
        }
    }
}
