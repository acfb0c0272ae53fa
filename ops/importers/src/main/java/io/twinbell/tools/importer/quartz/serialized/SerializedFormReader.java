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
import java.time.ZoneId;
import java.util.Calendar;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.SimpleTimeZone;
import java.util.TimeZone;

/** Reads what Quartz has serialized. Only plain data is admitted: no other class is loaded, and none of Quartz's. */
public final class SerializedFormReader {
    /** Limit of one serialized form. */
    public static final int MAX_BYTES = 1024 * 1024;

    private static final int MAX_DEPTH = 60;
    private static final int MAX_REFERENCES = 200_000;
    private static final int MAX_CALENDARS = 100;
    private static final byte DELETE = 0x7f;
    private static final String QUARTZ = "org.quartz.";
    private static final Map<String, Class<?>> STAND_INS = Map.ofEntries(
            Map.entry("org.quartz.JobDataMap", JobDataMap.class),
            Map.entry("org.quartz.utils.DirtyFlagMap", DirtyFlagMap.class),
            Map.entry("org.quartz.utils.StringKeyDirtyFlagMap", StringKeyDirtyFlagMap.class),
            Map.entry("org.quartz.impl.calendar.BaseCalendar", BaseCalendar.class),
            Map.entry("org.quartz.impl.calendar.HolidayCalendar", HolidayCalendar.class),
            Map.entry("org.quartz.impl.calendar.WeeklyCalendar", WeeklyCalendar.class),
            Map.entry("org.quartz.impl.calendar.AnnualCalendar", AnnualCalendar.class),
            Map.entry("java.util.ArrayList", ArrayList.class),
            Map.entry("java.util.HashMap", HashMap.class),
            Map.entry("java.util.LinkedHashMap", LinkedHashMap.class),
            Map.entry("java.util.TreeMap", TreeMap.class),
            Map.entry("java.util.TreeSet", TreeSet.class));
    private static final List<String> DATA = List.of(
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
        if (bytes == null || bytes.length == 0) {
            return JsonNodeFactory.instance.objectNode();
        }
        boolean isSerialized = bytes.length > 1 && (bytes[0] & 0xff) == 0xac && (bytes[1] & 0xff) == 0xed;
        return read(
                bytes, () -> isSerialized ? new SerializedFormJson().members(map(thawed(bytes))) : properties(bytes));
    }

    /**
     * Reads any serialized value that JSON can represent.
     *
     * @throws UnreadableException if it is or contains anything else
     */
    public static JsonNode value(byte[] bytes) throws UnreadableException {
        return read(bytes, () -> new SerializedFormJson().value(thawed(bytes)));
    }

    private static SerializedPairs map(Object thawed) throws UnreadableException {
        if (thawed instanceof DirtyFlagMap data && (data.map == null || data.map instanceof SerializedPairs)) {
            return data.map == null ? new SerializedPairs() : (SerializedPairs) data.map;
        }
        if (thawed instanceof SerializedPairs plain) {
            return plain;
        }
        throw new UnreadableException("is not a map of job data");
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

    /** Reads untrusted bytes. */
    private interface Reading<T> {
        T read() throws UnreadableException;
    }

    /**
     * Limits the size, and turns every failure into one exception: for a stream that was tampered with, the JDK's
     * readers throw any exception and recurse over class descriptions without a bound.
     */
    private static <T> T read(byte[] bytes, Reading<T> reading) throws UnreadableException {
        if (bytes.length > MAX_BYTES) {
            throw new UnreadableException("is longer than " + MAX_BYTES + " bytes");
        }
        try {
            return reading.read();
        } catch (RuntimeException e) {
            throw new UnreadableException("is damaged: " + e);
        } catch (StackOverflowError e) {
            throw new UnreadableException("is nested too deeply");
        }
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
        return read(bytes, () -> chain(thawed(bytes), otherwise));
    }

    private static List<ObjectNode> chain(Object first, ZoneId otherwise) throws UnreadableException {
        List<ObjectNode> calendars = new java.util.ArrayList<>();
        int length = 0;
        for (Object next = first; next != null; ) {
            if (!(next instanceof BaseCalendar calendar)) {
                throw new UnreadableException("contains " + next.getClass().getName() + ", which is not a calendar");
            }
            if (++length > MAX_CALENDARS) {
                throw new UnreadableException(
                        "has a chain of more than " + MAX_CALENDARS + " base calendars, or a cycle");
            }
            ZoneId zone = calendar.timeZone == null ? otherwise : zone(calendar.timeZone);
            ObjectNode json = json(calendar, zone);
            if (json != null) {
                json.put("zone", zone.getId());
                if (calendar.description != null && !calendar.description.isBlank()) {
                    json.put(
                            "description",
                            ControlCharacters.spaced(calendar.description).strip());
                }
                calendars.add(json);
            }
            next = calendar.baseCalendar;
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
            for (Date date : items(holidays.dates, Date.class)) {
                dates.add(date.toInstant().atZone(zone).toLocalDate().toString());
            }
        } else if (calendar instanceof WeeklyCalendar weekly) {
            String[] names = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};
            ArrayNode days = JsonNodeFactory.instance.arrayNode();
            for (int i = 0; i < names.length; i++) {
                if (weekly.excludeDays.length > i + 1 && weekly.excludeDays[i + 1]) {
                    days.add(names[i]);
                }
            }
            if (!days.isEmpty()) {
                json.putArray("weekly").addObject().set("days", days);
            }
        } else if (calendar instanceof AnnualCalendar annual) {
            ArrayNode days = json.putArray("yearly");
            for (Calendar day : items(annual.excludeDays, Calendar.class)) {
                days.add(String.format(
                        Locale.ROOT, "%02d-%02d", day.get(Calendar.MONTH) + 1, day.get(Calendar.DAY_OF_MONTH)));
            }
        } else {
            return null;
        }
        return json;
    }

    private static <T> List<T> items(Object collection, Class<T> type) throws UnreadableException {
        if (!(collection instanceof SerializedItems items)
                || !items.items().stream().allMatch(type::isInstance)) {
            throw new UnreadableException("does not contain a list of " + type.getName());
        }
        return items.items().stream().map(type::cast).toList();
    }

    private static Object thawed(byte[] bytes) throws UnreadableException {
        try (DataOnly stream = new DataOnly(bytes)) {
            return stream.readObject();
        } catch (InvalidClassException e) {
            throw new UnreadableException(
                    "contains " + e.classname + ", which " + e.getMessage().replaceFirst("^.*?; ", ""));
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

        /** Each element takes at least a byte, so an array with more elements than bytes is rejected. */
        private ObjectInputFilter.Status check(ObjectInputFilter.FilterInfo info) {
            elements += Math.max(0, info.arrayLength());
            boolean isBounded = info.depth() <= MAX_DEPTH && info.references() <= MAX_REFERENCES && elements <= size;
            return isBounded ? ObjectInputFilter.Status.UNDECIDED : ObjectInputFilter.Status.REJECTED;
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
            String name = description.getName();
            Class<?> standIn = STAND_INS.get(name);
            if (standIn != null) {
                return standIn;
            }
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
