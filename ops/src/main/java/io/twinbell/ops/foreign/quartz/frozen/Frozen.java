package io.twinbell.ops.foreign.quartz.frozen;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.math.BigDecimal;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** Reads what Quartz has serialized. Only mere data is let in: no class of anybody else's is loaded, and none of Quartz's. */
public final class Frozen {
    private static final long MOST_BYTES = 16L * 1024 * 1024;
    private static final String QUARTZ = "org.quartz.";
    private static final Map<String, Class<?>> STAND_INS = Map.of(
            "org.quartz.JobDataMap", JobDataMap.class,
            "org.quartz.utils.DirtyFlagMap", DirtyFlagMap.class,
            "org.quartz.utils.StringKeyDirtyFlagMap", StringKeyDirtyFlagMap.class,
            "org.quartz.impl.calendar.BaseCalendar", BaseCalendar.class,
            "org.quartz.impl.calendar.HolidayCalendar", HolidayCalendar.class,
            "org.quartz.impl.calendar.WeeklyCalendar", WeeklyCalendar.class,
            "org.quartz.impl.calendar.AnnualCalendar", AnnualCalendar.class);
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
            "java.util.ArrayList",
            "java.util.Calendar",
            "java.util.Date",
            "java.util.GregorianCalendar",
            "java.util.HashMap",
            "java.util.LinkedHashMap",
            "java.util.SimpleTimeZone",
            "java.util.TimeZone",
            "java.util.TreeMap",
            "java.util.TreeSet",
            "sun.util.calendar.ZoneInfo",
            "[B",
            "[I",
            "[J",
            "[Z",
            "[Ljava.lang.Object;",
            "[Ljava.util.Map$Entry;");

    private Frozen() {}

    /**
     * A map of job data.
     *
     * @param bytes serialized, or as properties; null or nothing for an empty one
     * @throws UnreadableException if it holds anything but texts, numbers, dates, lists and maps
     */
    public static ObjectNode data(byte[] bytes) throws UnreadableException {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        if (bytes == null || bytes.length == 0) {
            return json;
        }
        boolean isSerialized = bytes.length > 1 && (bytes[0] & 0xff) == 0xac && (bytes[1] & 0xff) == 0xed;
        Map<?, ?> map = isSerialized ? map(thawed(bytes)) : properties(bytes);
        for (Map.Entry<?, ?> entry : new TreeMap<>(map).entrySet()) {
            put(json, String.valueOf(entry.getKey()), entry.getValue());
        }
        return json;
    }

    private static Map<?, ?> map(Object thawed) throws UnreadableException {
        if (thawed instanceof DirtyFlagMap data) {
            return data.map == null ? Map.of() : data.map;
        }
        if (thawed instanceof Map<?, ?> plain) {
            return plain;
        }
        throw new UnreadableException("is no map of job data");
    }

    private static Map<?, ?> properties(byte[] bytes) throws UnreadableException {
        Properties properties = new Properties();
        try {
            properties.load(new ByteArrayInputStream(bytes));
        } catch (IOException | IllegalArgumentException e) {
            throw new UnreadableException("is neither serialized nor properties: " + e.getMessage());
        }
        return properties;
    }

    private static void put(ObjectNode json, String name, Object value) throws UnreadableException {
        ArrayNode one = JsonNodeFactory.instance.arrayNode();
        add(one, value);
        json.set(name, one.get(0));
    }

    private static void add(ArrayNode list, Object value) throws UnreadableException {
        if (value == null) {
            list.addNull();
        } else if (value instanceof Boolean yes) {
            list.add(yes);
        } else if (value instanceof Number number) {
            list.add(new BigDecimal(number.toString()));
        } else if (value instanceof String || value instanceof Character) {
            list.add(value.toString());
        } else if (value instanceof Date date) {
            list.add(date.toInstant().toString());
        } else if (value instanceof Collection<?> items) {
            ArrayNode inner = list.addArray();
            for (Object item : items) {
                add(inner, item);
            }
        } else if (value instanceof Map<?, ?> members) {
            ObjectNode inner = list.addObject();
            for (Map.Entry<?, ?> member : members.entrySet()) {
                put(inner, String.valueOf(member.getKey()), member.getValue());
            }
        } else {
            throw new UnreadableException("holds " + value.getClass().getName() + ", which is no JSON");
        }
    }

    /**
     * A calendar and those below it, each as the API takes one, without its name.
     *
     * @param otherwise the zone of those that name none
     */
    public static List<ObjectNode> calendars(byte[] bytes, ZoneId otherwise) throws UnreadableException {
        List<ObjectNode> calendars = new ArrayList<>();
        for (Object next = thawed(bytes); next != null; ) {
            if (!(next instanceof BaseCalendar calendar)) {
                throw new UnreadableException("holds " + next.getClass().getName() + ", which is no calendar");
            }
            ZoneId zone = calendar.timeZone == null ? otherwise : calendar.timeZone.toZoneId();
            ObjectNode json = json(calendar, zone);
            if (json != null) {
                json.put("zone", zone.getId());
                if (calendar.description != null && !calendar.description.isBlank()) {
                    json.put(
                            "description",
                            calendar.description.replaceAll("\\p{Cntrl}+", " ").strip());
                }
                calendars.add(json);
            }
            next = calendar.baseCalendar;
        }
        return calendars;
    }

    /** Null for one that excludes nothing by itself. */
    private static ObjectNode json(BaseCalendar calendar, ZoneId zone) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        if (calendar instanceof HolidayCalendar holidays) {
            ArrayNode dates = json.putArray("dates");
            holidays.dates.forEach(date ->
                    dates.add(date.toInstant().atZone(zone).toLocalDate().toString()));
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
            annual.excludeDays.forEach(day ->
                    days.add("%02d-%02d".formatted(day.get(Calendar.MONTH) + 1, day.get(Calendar.DAY_OF_MONTH))));
        } else {
            return null;
        }
        return json;
    }

    private static Object thawed(byte[] bytes) throws UnreadableException {
        try (DataOnly stream = new DataOnly(new ByteArrayInputStream(bytes))) {
            return stream.readObject();
        } catch (InvalidClassException e) {
            throw new UnreadableException(
                    "holds " + e.classname + ", which " + e.getMessage().replaceFirst("^.*?; ", ""));
        } catch (IOException | ClassNotFoundException | RuntimeException e) {
            throw new UnreadableException("is not whole: " + e);
        }
    }

    /** What is none of the classes above ends the reading before any of its code could run. */
    private static final class DataOnly extends ObjectInputStream {
        DataOnly(InputStream bytes) throws IOException {
            super(bytes);
            setObjectInputFilter(ObjectInputFilter.Config.createFilter(
                    "maxdepth=50;maxrefs=1000000;maxarray=1000000;maxbytes=" + MOST_BYTES));
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
                        name.startsWith(QUARTZ) ? "has nothing like it here" : "is no data that is understood here");
            }
            return super.resolveClass(description);
        }

        @Override
        protected Class<?> resolveProxyClass(String[] interfaces) throws IOException {
            throw new InvalidClassException(String.join(", ", interfaces), "is a proxy");
        }
    }
}
