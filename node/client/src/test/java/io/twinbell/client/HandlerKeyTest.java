package io.twinbell.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HandlerKeyTest {
    private static final HandlerKey<Invoice> FIRST = HandlerKey.of("invoice.close", Invoice.class);
    private static final HandlerKey<PricedInvoice> THIRD = HandlerKey.of("invoice.close", PricedInvoice.class)
            .upgrade(old -> old.put("currency", "EUR"))
            .upgrade(old -> old.put("cents", old.remove("euros").asLong() * 100));

    record Invoice(long number, long euros) {}

    record Bill(List<Invoice> lines) {
        Bill {
            if (lines == null) {
                throw new IllegalArgumentException("a bill has lines");
            }
        }
    }

    record PricedInvoice(long number, String currency, long cents) {}

    @Test
    void a_record_is_read_as_it_was_written() {
        Invoice invoice = new Invoice(4711, 12);
        assertEquals("{\"number\":4711,\"euros\":12}", FIRST.write(invoice));
        assertEquals(invoice, FIRST.read(FIRST.write(invoice)));
        assertNull(FIRST.read(null));
    }

    record Amounts(
            BigDecimal rate,
            BigDecimal price,
            BigInteger serial,
            Float share,
            double sum,
            Map<String, Object> others) {}

    @Test
    void every_number_keeps_all_its_digits() {
        HandlerKey<Amounts> key = HandlerKey.of("pay", Amounts.class);
        String json = "{\"rate\":0.12345678901234567890123,\"price\":100.00,\"serial\":" + "9".repeat(60)
                + ",\"share\":0.1,\"sum\":1.0E300,\"others\":{\"vat\":19.00}}";
        Amounts amounts = new Amounts(
                new BigDecimal("0.12345678901234567890123"),
                new BigDecimal("100.00"),
                new BigInteger("9".repeat(60)),
                0.1f,
                1e300,
                Map.of("vat", new BigDecimal("19.00")));
        assertEquals(json.replace("E300", "E+300"), key.write(amounts));
        assertEquals(amounts, key.read(key.write(amounts)));
        HandlerKey<Amounts> later = key.upgrade(old -> old);
        assertEquals(amounts, later.read(key.write(amounts)));
        TaskDraft draft = TaskDraft.of(TaskAction.java(key), TaskSchedule.in(Duration.ZERO));
        assertEquals(
                json.replace("E300", "E+300"),
                draft.data(amounts).json().get("data").toString());
        assertEquals("[1.10]", draft.dataJson("[1.10]").json().get("data").toString());
    }

    @Test
    void a_payload_of_an_earlier_version_is_upgraded_step_by_step() {
        assertEquals(3, THIRD.version());
        assertEquals(new PricedInvoice(1, "EUR", 1200), THIRD.read(FIRST.write(new Invoice(1, 12))));
        assertEquals(
                new PricedInvoice(1, "USD", 1200),
                THIRD.read("{\"$version\":2,\"number\":1,\"euros\":12,\"currency\":\"USD\"}"));
        PricedInvoice present = new PricedInvoice(1, "CHF", 5);
        assertEquals(present, THIRD.read(THIRD.write(present)));
    }

    @Test
    void a_payload_of_a_later_version_is_refused_with_both_versions() {
        PayloadException refused =
                assertThrows(PayloadException.class, () -> FIRST.read(THIRD.write(new PricedInvoice(1, "EUR", 1))));
        assertEquals(
                "the payload of \"invoice.close\" has version 3, and this program reads 1 to 1", refused.getMessage());
    }

    @Test
    void data_of_another_shape_is_refused_and_names_the_member() {
        String expected = "; Invoice has the members number, euros, and the data has ";
        assertRefused(FIRST, "{'number':1}", "euros is missing" + expected + "number");
        assertRefused(FIRST, "{'nummer':1,'a\\nb':2}", "number is missing" + expected + "nummer, \"a\\nb\"");
        assertRefused(FIRST, "{'number':null}", "number is null where long is expected" + expected + "number");
        assertRefused(FIRST, "{'number':1,'euros':2,'odd':3}", "odd is unknown" + expected + "number, euros, odd");
        assertRefused(
                FIRST,
                "[7]",
                "it has a wrong value, of the JSON type array, where Invoice is expected"
                        + "; Invoice has the members number, euros");
        assertRefused(FIRST, "no json", "it is not one JSON text: see line 1, column 1");
    }

    @Test
    void a_message_about_unreadable_data_shows_no_value_and_no_advice_of_jackson() {
        PayloadException refused =
                assertThrows(PayloadException.class, () -> FIRST.read("{\"number\":1,\"euros\":\"secret\"}"));
        assertEquals(
                "the data cannot be read as Invoice for \"invoice.close\": euros has a wrong value, of the JSON type"
                        + " string, where long is expected; Invoice has the members number, euros, and the data has"
                        + " number, euros",
                refused.getMessage());
        assertNull(refused.getCause());
    }

    @Test
    void a_wrong_member_of_a_nested_record_is_named_with_its_path() {
        HandlerKey<Bill> bill = HandlerKey.of("bill", Bill.class);
        assertRefused(
                bill,
                "{'lines':[{'number':1,'euros':1},{'number':1,'cents':100}]}",
                "lines[1].euros is missing; Invoice has the members number, euros, and lines[1] has number, cents");
    }

    @Test
    void a_record_may_refuse_a_payload_and_its_own_exception_is_the_cause() {
        HandlerKey<Bill> bill = HandlerKey.of("bill", Bill.class);
        PayloadException refused = assertRefused(bill, "{}", "it was refused: a bill has lines");
        assertTrue(refused.getCause() instanceof IllegalArgumentException, () -> "" + refused.getCause());
    }

    @Test
    void the_names_in_a_message_are_bounded() {
        String many = IntStream.range(0, 500)
                .mapToObj(i -> "'" + i + "x".repeat(1000) + "':1")
                .collect(Collectors.joining(",", "{", "}"));
        PayloadException refused = assertRefused(FIRST, many, "number is missing");
        assertTrue(refused.getMessage().endsWith(" and 480 more"), refused::getMessage);
        assertTrue(refused.getMessage().length() < 2000, refused::getMessage);
    }

    private static PayloadException assertRefused(HandlerKey<?> key, String data, String why) {
        PayloadException refused = assertThrows(PayloadException.class, () -> key.read(data.replace('\'', '"')));
        String message = refused.getMessage();
        assertTrue(message.substring(message.indexOf("\": ") + 3).startsWith(why), refused::getMessage);
        return refused;
    }

    @Test
    void an_upgrade_that_fails_is_a_payload_that_cannot_be_read() {
        PayloadException refused =
                assertThrows(PayloadException.class, () -> THIRD.read("{\"number\":1,\"currency\":\"EUR\"}"));
        assertTrue(refused.getMessage().contains("from version 2"), refused::getMessage);
    }

    @Test
    void a_trace_context_goes_into_an_object_and_is_left_out_again() {
        String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        String written = FIRST.tree(new Invoice(1, 2), trace).toString();
        assertTrue(written.contains("\"$traceparent\":\"" + trace + "\""), written);
        assertEquals(new Invoice(1, 2), FIRST.read(written));
        HandlerKey<String> text = HandlerKey.of("text", String.class);
        assertEquals("x", text.read(text.tree("x", trace).toString()));
    }
}
