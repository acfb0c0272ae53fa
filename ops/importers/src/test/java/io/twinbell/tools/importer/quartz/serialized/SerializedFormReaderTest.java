package io.twinbell.tools.importer.quartz.serialized;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.persistence.testing.RandomCases;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Serialized forms as Quartz and others write them, and malformed ones. */
class SerializedFormReaderTest {
    private static final int MUTATIONS = 20_000;

    @Test
    void maps_lists_numbers_and_dates_are_read() throws Exception {
        Map<String, Object> map = new java.util.LinkedHashMap<>();
        map.put("text", "ü");
        map.put("list", new java.util.ArrayList<>(Arrays.asList(1, null, 2.5, true, 'c')));
        map.put("map", new java.util.TreeMap<>(Map.of("k", new java.util.HashMap<>(Map.of("long", 7L)))));
        map.put("date", Date.from(Instant.parse("2026-12-24T10:00:00Z")));
        map.put("decimal", new BigDecimal("1.50"));
        map.put("whole", BigInteger.TWO.pow(100));
        map.put("set", new java.util.TreeSet<>(List.of(3, 1, 2)));
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
    void a_map_that_holds_itself_is_refused() throws Exception {
        Map<String, Object> cycle = new java.util.HashMap<>();
        cycle.put("self", cycle);
        assertRefused("contains itself", serialized(cycle));
        List<Object> list = new java.util.ArrayList<>();
        list.add(list);
        assertRefused("contains itself", serialized(new java.util.HashMap<>(Map.of("list", list))));
    }

    @Test
    void a_map_whose_keys_are_maps_is_not_hashed() throws Exception {
        // Each level holds the next one twice: hashing the whole takes 2^40 steps.
        List<Object> bomb = new java.util.ArrayList<>();
        for (int i = 0; i < 40; i++) {
            bomb = new java.util.ArrayList<>(Arrays.asList(bomb, bomb));
        }
        assertRefused("more than 100000 values", serialized(new java.util.HashMap<>(Map.of("bomb", bomb))));
        Map<Object, Object> key = new java.util.HashMap<>();
        key.put(new java.util.HashMap<>(), "x");
        assertRefused("key that is not a text", serialized(key));
    }

    @Test
    void a_calendar_that_stands_on_itself_is_refused() throws Exception {
        BaseCalendar calendar = new BaseCalendar();
        calendar.baseCalendar = calendar;
        String own = BaseCalendar.class.getName();
        String quartz = "org.quartz.impl.calendar.BaseCalendar";
        String stream = new String(serialized(calendar), StandardCharsets.ISO_8859_1);
        byte[] bytes = stream.replace((char) own.length() + own, (char) quartz.length() + quartz)
                .getBytes(StandardCharsets.ISO_8859_1);
        String message = assertThrows(
                        UnreadableException.class, () -> SerializedFormReader.calendars(bytes, ZoneOffset.UTC))
                .getMessage();
        assertTrue(message.contains("or a cycle"), message);
    }

    @Test
    void depth_size_and_digits_are_bounded() throws Exception {
        Map<String, Object> deep = new java.util.HashMap<>();
        for (int i = 0; i < 500; i++) {
            deep = new java.util.HashMap<>(Map.of("in", deep));
        }
        byte[] tooDeep = serialized(deep);
        assertThrows(UnreadableException.class, () -> SerializedFormReader.data(tooDeep));
        assertRefused("digits", serialized(new java.util.HashMap<>(Map.of("n", BigInteger.TWO.pow(100_000)))));
        assertRefused(
                "digits", serialized(new java.util.HashMap<>(Map.of("n", new BigDecimal(BigInteger.ONE, -2_000_000)))));
        assertRefused("which JSON cannot represent", serialized(new java.util.HashMap<>(Map.of("n", Double.NaN))));
        assertRefused("longer than", new byte[SerializedFormReader.MAX_BYTES + 1]);
        assertRefused("is not a map", serialized("text"));
        assertRefused("not a supported data type", serialized(new java.util.HashMap<>(Map.of("c", List.of(1)))));
    }

    @Test
    void a_text_that_occurs_often_counts_as_often() throws Exception {
        String text = "x".repeat(500_000);
        List<Object> list = new java.util.ArrayList<>(java.util.Collections.nCopies(1_000, text));
        assertRefused("more than 1000000 characters", serialized(new java.util.HashMap<>(Map.of("list", list))));
    }

    @Test
    void keys_that_become_equal_are_refused_also_if_the_first_has_no_value() throws Exception {
        Map<Object, Object> map = new java.util.LinkedHashMap<>();
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
        HolidayCalendar calendar = new HolidayCalendar();
        calendar.timeZone = new java.util.SimpleTimeZone(5_400_000, "UTC");
        String own = HolidayCalendar.class.getName();
        String quartz = "org.quartz.impl.calendar.HolidayCalendar";
        String ownBase = BaseCalendar.class.getName();
        String quartzBase = "org.quartz.impl.calendar.BaseCalendar";
        byte[] bytes = new String(serialized(calendar), StandardCharsets.ISO_8859_1)
                .replace((char) own.length() + own, (char) quartz.length() + quartz)
                .replace((char) ownBase.length() + ownBase, (char) quartzBase.length() + quartzBase)
                .getBytes(StandardCharsets.ISO_8859_1);
        String message = assertThrows(
                        UnreadableException.class, () -> SerializedFormReader.calendars(bytes, ZoneOffset.UTC))
                .getMessage();
        assertTrue(message.contains("time zone UTC, whose rules are unknown"), message);
    }

    @Test
    void sizes_that_the_stream_claims_and_does_not_have_cost_nothing() throws Exception {
        byte[] array = serialized(new java.util.HashMap<>(Map.of("a", new long[] {1, 2, 3})));
        int size = indexOf(array, new byte[] {0, 0, 0, 3});
        ByteBuffer.wrap(array).putInt(size, Integer.MAX_VALUE);
        assertRefused("", array);
        byte[] list = serialized(new java.util.HashMap<>(Map.of("a", new java.util.ArrayList<>(List.of(1, 2, 3)))));
        for (int at = indexOf(list, new byte[] {0, 0, 0, 3}); at >= 0; at = indexOf(list, new byte[] {0, 0, 0, 3})) {
            ByteBuffer.wrap(list).putInt(at, Integer.MAX_VALUE);
        }
        assertRefused("is damaged", list);
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
        Map<String, Object> map = new java.util.TreeMap<>();
        map.put("list", new java.util.ArrayList<>(List.of(1, "two", 3.0)));
        map.put("date", new Date());
        map.put("day", new GregorianCalendar());
        map.put("big", new BigDecimal("3.14"));
        List<byte[]> originals = List.of(
                serialized(new java.util.HashMap<>(map)),
                serialized(new java.util.LinkedHashMap<>(map)),
                serialized(map),
                serialized(new java.util.TreeSet<>(List.of(new Date(), new Date(0)))));
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

    private static byte[] serialized(Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream stream = new ObjectOutputStream(bytes)) {
            stream.writeObject(value);
        }
        return bytes.toByteArray();
    }
}
