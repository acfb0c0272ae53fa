package io.twinbell.tools.importer.quartz.serialized;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.persistence.testing.RandomCases;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collections;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SimpleTimeZone;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.quartz.JobDataMap;
import org.quartz.impl.calendar.AnnualCalendar;
import org.quartz.impl.calendar.BaseCalendar;
import org.quartz.impl.calendar.CronCalendar;
import org.quartz.impl.calendar.HolidayCalendar;
import org.quartz.impl.calendar.WeeklyCalendar;
import org.quartz.utils.DirtyFlagMap;

/** Serialized forms as Quartz and others write them, and malformed ones. */
class SerializedFormReaderTest {
    private static final int MUTATIONS = 20_000;

    @Test
    void maps_lists_numbers_and_dates_are_read() throws Exception {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("text", "ü");
        map.put("list", new ArrayList<>(Arrays.asList(1, null, 2.5, true, 'c')));
        map.put("map", new TreeMap<>(Map.of("k", new HashMap<>(Map.of("long", 7L)))));
        map.put("date", Date.from(Instant.parse("2026-12-24T10:00:00Z")));
        map.put("decimal", new BigDecimal("1.50"));
        map.put("whole", BigInteger.TWO.pow(100));
        map.put("set", new TreeSet<>(List.of(3, 1, 2)));
        assertEquals(
                "{\"date\":\"2026-12-24T10:00:00Z\",\"decimal\":1.50,\"list\":[1,null,2.5,true,\"c\"],"
                        + "\"map\":{\"k\":{\"long\":7}},\"set\":[1,2,3],\"text\":\"ü\","
                        + "\"whole\":1267650600228229401496703205376}",
                SerializedFormReader.data(serialized(map)).toString());
        assertEquals(
                "{\"a\":\"b\"}",
                SerializedFormReader.data("a=b\n".getBytes(StandardCharsets.UTF_8))
                        .toString());
        assertEquals("{}", SerializedFormReader.data(null).toString());
    }

    @Test
    void job_data_and_calendars_of_quartz_are_read() throws Exception {
        JobDataMap inner = new JobDataMap(Map.of("n", 1));
        JobDataMap data = new JobDataMap(Map.of("region", "eu"));
        data.put("inner", inner);
        data.put("none", (Object) null);
        data.put("plain", (Object) new DirtyFlagMap<String, String>());
        assertEquals(
                "{\"inner\":{\"n\":1},\"none\":null,\"plain\":{},\"region\":\"eu\"}",
                SerializedFormReader.data(serialized(data)).toString());
        assertEquals("{\"n\":1}", SerializedFormReader.value(serialized(inner)).toString());

        AnnualCalendar annual = new AnnualCalendar();
        annual.setDayExcluded(new GregorianCalendar(2026, Calendar.DECEMBER, 24), true);
        WeeklyCalendar weekly = new WeeklyCalendar(annual);
        HolidayCalendar holidays = new HolidayCalendar(new BaseCalendar(weekly));
        holidays.setTimeZone(TimeZone.getTimeZone("Europe/Berlin"));
        holidays.setDescription("days\noff");
        holidays.addExcludedDate(Date.from(Instant.parse("2026-12-24T23:00:00Z")));
        String read = SerializedFormReader.calendars(serialized(holidays), ZoneOffset.UTC)
                .toString();
        assertEquals(
                "[{\"dates\":[\"2026-12-25\"],\"zone\":\"Europe/Berlin\",\"description\":\"days off\"}, "
                        + "{\"weekly\":[{\"days\":[\"SUN\",\"SAT\"]}],\"zone\":\"Z\"}, "
                        + "{\"yearly\":[\"12-24\"],\"zone\":\"Z\"}]",
                read);
    }

    /** Leaves a trace if its code runs. */
    private static final class Trap implements Serializable {
        private static final long serialVersionUID = 1L;

        private void readObject(ObjectInputStream stream) {
            System.setProperty("twinbell.test.trap", "sprung");
        }

        private Object readResolve() {
            System.setProperty("twinbell.test.trap", "sprung");
            return "text";
        }
    }

    @Test
    void a_class_that_is_no_data_is_refused_before_its_code_runs() throws Exception {
        byte[] trap = serialized(new HashMap<>(Map.of("c", new Trap())));
        assertRefused("contains " + Trap.class.getName() + ", which is not a supported data type", trap);
        assertNull(System.getProperty("twinbell.test.trap"));
        byte[] absent = new String(trap, StandardCharsets.ISO_8859_1)
                .replace(Trap.class.getName(), Trap.class.getName().replace("Trap", "Gone"))
                .getBytes(StandardCharsets.ISO_8859_1);
        assertRefused("Gone, which is not a supported data type", absent);
        assertRefused("not a supported data type", serialized(new HashMap<>(Map.of("c", List.of(1)))));
        assertRefused("not a supported data type", serialized(new HashMap<>(Map.of("c", new String[] {"x"}))));
        byte[] cron = serialized(new HolidayCalendar(new CronCalendar("* * 0-7 ? * *")));
        assertEquals(
                "contains org.quartz.impl.calendar.CronCalendar, which has no equivalent in Twinbell",
                calendarsRefused(cron));
        assertEquals("contains java.lang.String, which is not a calendar", calendarsRefused(serialized("text")));
        assertRefused(
                "contains org.quartz.impl.calendar.BaseCalendar, which JSON cannot represent",
                serialized(new HashMap<>(Map.of("c", new BaseCalendar()))));
    }

    @Test
    void a_map_that_holds_itself_is_refused() throws Exception {
        Map<String, Object> cycle = new HashMap<>();
        cycle.put("self", cycle);
        assertRefused("contains itself", serialized(cycle));
        List<Object> list = new ArrayList<>();
        list.add(list);
        assertRefused("contains itself", serialized(new HashMap<>(Map.of("list", list))));
    }

    /** Each level holds the next one twice. */
    private static List<Object> bomb(int levels) {
        List<Object> bomb = new ArrayList<>();
        for (int i = 0; i < levels; i++) {
            bomb = new ArrayList<>(Arrays.asList(bomb, bomb));
        }
        return bomb;
    }

    @Test
    void a_key_that_is_no_text_number_or_boolean_is_refused() throws Exception {
        assertRefused("more than 100000 values", serialized(new HashMap<>(Map.of("bomb", bomb(40)))));
        for (Object key : List.of(new HashMap<>(), new ArrayList<>(), new Date(), 'c', new JobDataMap())) {
            assertRefused("key that is not a text", serialized(new HashMap<>(Map.of(key, "x"))));
        }
        assertEquals(
                "{\"1\":2,\"true\":3}",
                SerializedFormReader.data(serialized(new HashMap<>(Map.of(1, 2, true, 3))))
                        .toString());
    }

    @Test
    void a_map_whose_keys_take_long_to_hash_is_left_after_a_while() throws Exception {
        List<Object> key = new ArrayList<>();
        byte[] bytes = serialized(new HashMap<>(Map.of(key, "x")));
        assertRefused("key that is not a text", bytes);
        // Its hash takes 2^27 steps: seconds, after which the thread ends.
        Map<Object, Object> map = new HashMap<>(Map.of(key, "x"));
        key.add(bomb(27));
        byte[] slow = serialized(map);
        String message = assertThrows(
                        UnreadableException.class, () -> SerializedFormReader.data(slow, Duration.ofMillis(50)))
                .getMessage();
        assertEquals("takes more than 50 ms to read: it may contain a map with lists or maps as keys", message);
    }

    @Test
    void a_calendar_that_stands_on_itself_is_refused() throws Exception {
        BaseCalendar calendar = new BaseCalendar();
        calendar.setBaseCalendar(calendar);
        String message = calendarsRefused(serialized(calendar));
        assertTrue(message.contains("or a cycle"), message);
    }

    @Test
    void depth_size_and_digits_are_bounded() throws Exception {
        Map<String, Object> deep = new HashMap<>();
        for (int i = 0; i < 500; i++) {
            deep = new HashMap<>(Map.of("in", deep));
        }
        byte[] tooDeep = serialized(deep);
        assertRefused("has more levels, objects or elements than it may have", tooDeep);
        assertRefused("digits", serialized(new HashMap<>(Map.of("n", BigInteger.TWO.pow(100_000)))));
        assertRefused("digits", serialized(new HashMap<>(Map.of("n", new BigDecimal(BigInteger.ONE, -2_000_000)))));
        assertRefused("which JSON cannot represent", serialized(new HashMap<>(Map.of("n", Double.NaN))));
        assertRefused("longer than", new byte[SerializedFormReader.MAX_BYTES + 1]);
        assertRefused("is not a map", serialized("text"));
        List<Object> many = new ArrayList<>();
        for (int i = 0; i < 100_001; i++) {
            many.add(null);
        }
        assertRefused("more than 100000 values", serialized(new HashMap<>(Map.of("list", many))));
    }

    @Test
    void a_text_that_occurs_often_counts_as_often() throws Exception {
        String text = "x".repeat(500_000);
        List<Object> list = new ArrayList<>(Collections.nCopies(1_000, text));
        assertRefused("more than 1000000 characters", serialized(new HashMap<>(Map.of("list", list))));
    }

    @Test
    void keys_that_become_equal_are_refused_also_if_the_first_has_no_value() throws Exception {
        Map<Object, Object> map = new LinkedHashMap<>();
        map.put(1, null);
        map.put("1", "x");
        assertRefused("duplicate key", serialized(map));
    }

    @Test
    void bytes_that_are_no_text_are_no_properties() throws Exception {
        assertRefused("bytes that are not text", new byte[] {'P', 'K', 3, 4});
        assertRefused("\"a\" is there twice", "a=1\nb=2\na=3\n".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void a_calendar_in_a_zone_of_its_own_rules_is_refused() throws Exception {
        HolidayCalendar calendar = new HolidayCalendar(new SimpleTimeZone(5_400_000, "UTC"));
        String message = calendarsRefused(serialized(calendar));
        assertTrue(message.contains("time zone UTC, whose rules are unknown"), message);
    }

    @Test
    void sizes_that_the_stream_claims_and_does_not_have_cost_nothing() throws Exception {
        byte[] array = serialized(new HashMap<>(Map.of("a", new long[] {1, 2, 3})));
        int size = indexOf(array, new byte[] {0, 0, 0, 3});
        ByteBuffer.wrap(array).putInt(size, Integer.MAX_VALUE);
        assertRefused("", array);
        byte[] list = serialized(new HashMap<>(Map.of("a", new ArrayList<>(List.of(1, 2, 3)))));
        for (int at = indexOf(list, new byte[] {0, 0, 0, 3}); at >= 0; at = indexOf(list, new byte[] {0, 0, 0, 3})) {
            ByteBuffer.wrap(list).putInt(at, Integer.MAX_VALUE);
        }
        assertRefused("has more levels, objects or elements than it may have", list);
        byte[] map = serialized(new HashMap<>(Map.of("a", 1, "b", 2, "c", 3)));
        ByteBuffer.wrap(map).putInt(indexOf(map, new byte[] {0, 0, 0, 3}), Integer.MAX_VALUE);
        assertRefused("has more levels, objects or elements than it may have", map);
        byte[] sorted = serialized(new TreeMap<>(Map.of("a", 1, "b", 2, "c", 3)));
        ByteBuffer.wrap(sorted).putInt(indexOf(sorted, new byte[] {0, 0, 0, 3}), Integer.MAX_VALUE);
        assertRefused("is damaged", sorted);
    }

    @Test
    void endless_class_descriptions_are_refused() throws Exception {
        // A class whose superclass is described as itself, and so on to the end of the stream.
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        stream.write(new byte[] {(byte) 0xac, (byte) 0xed, 0, 5, 0x73});
        byte[] name = "java.lang.Number".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 30_000; i++) {
            stream.write(new byte[] {0x72, 0, (byte) name.length});
            stream.write(name);
            stream.write(ByteBuffer.allocate(8).putLong(-8742448824652078965L).array());
            stream.write(new byte[] {2, 0, 0, 0x78});
        }
        assertRefused("", Arrays.copyOf(stream.toByteArray(), Math.min(stream.size(), SerializedFormReader.MAX_BYTES)));
    }

    @Test
    void whatever_is_changed_in_a_stream_it_is_read_or_refused() throws Exception {
        long seed = RandomCases.seed(SerializedFormReaderTest.class);
        Random random = new Random(seed);
        Map<String, Object> map = new TreeMap<>();
        map.put("list", new ArrayList<>(List.of(1, "two", 3.0)));
        map.put("date", new Date());
        map.put("day", new GregorianCalendar());
        map.put("big", new BigDecimal("3.14"));
        AnnualCalendar annual = new AnnualCalendar(new WeeklyCalendar(), TimeZone.getTimeZone("Europe/Berlin"));
        annual.setDayExcluded(new GregorianCalendar(), true);
        HolidayCalendar holidays = new HolidayCalendar(annual);
        holidays.addExcludedDate(new Date());
        List<byte[]> originals = List.of(
                serialized(new JobDataMap(map)),
                serialized(holidays),
                serialized(new HashMap<>(map)),
                serialized(new LinkedHashMap<>(map)),
                serialized(map),
                serialized(new TreeSet<>(List.of(new Date(), new Date(0)))));
        for (int i = 0; i < RandomCases.count(MUTATIONS, MUTATIONS * 20); i++) {
            byte[] changed = mutated(originals.get(random.nextInt(originals.size())), random);
            try {
                if (i % 2 == 0) {
                    ObjectNode read = SerializedFormReader.data(changed);
                    assertTrue(read.isObject());
                } else {
                    SerializedFormReader.calendars(changed, ZoneOffset.UTC);
                }
            } catch (UnreadableException e) {
                assertTrue(!e.getMessage().isEmpty());
            }
        }
    }

    private static byte[] mutated(byte[] original, Random random) {
        byte[] changed = original.clone();
        for (int i = 0; i <= random.nextInt(4); i++) {
            int at = 4 + random.nextInt(changed.length - 4);
            switch (random.nextInt(4)) {
                case 0 -> changed[at] = (byte) random.nextInt(256);
                case 1 -> changed[at] = (byte) (0x70 + random.nextInt(16));
                case 2 -> changed[at] ^= (byte) (1 << random.nextInt(8));
                default -> changed = Arrays.copyOf(changed, Math.max(8, at));
            }
        }
        return changed;
    }

    private static int indexOf(byte[] bytes, byte[] wanted) {
        for (int i = 0; i + wanted.length <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
                return i;
            }
        }
        return -1;
    }

    private static void assertRefused(String text, byte[] bytes) {
        String message = assertThrows(UnreadableException.class, () -> SerializedFormReader.data(bytes))
                .getMessage();
        assertTrue(message.contains(text), message);
    }

    private static String calendarsRefused(byte[] bytes) {
        return assertThrows(UnreadableException.class, () -> SerializedFormReader.calendars(bytes, ZoneOffset.UTC))
                .getMessage();
    }

    private static byte[] serialized(Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream stream = new ObjectOutputStream(bytes)) {
            stream.writeObject(value);
        }
        return bytes.toByteArray();
    }
}
