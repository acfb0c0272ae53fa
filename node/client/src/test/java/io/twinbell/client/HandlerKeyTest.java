package io.twinbell.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HandlerKeyTest {
    private static final HandlerKey<Invoice> FIRST = HandlerKey.of("invoice.close", Invoice.class);
    private static final HandlerKey<PricedInvoice> THIRD = HandlerKey.of("invoice.close", PricedInvoice.class)
            .upgrade(old -> old.put("currency", "EUR"))
            .upgrade(old -> old.put("cents", old.remove("euros").asLong() * 100));

    record Invoice(long number, long euros) {}

    record PricedInvoice(long number, String currency, long cents) {}

    @Test
    void a_record_is_read_as_it_was_written() {
        Invoice invoice = new Invoice(4711, 12);
        assertEquals("{\"number\":4711,\"euros\":12}", FIRST.write(invoice));
        assertEquals(invoice, FIRST.read(FIRST.write(invoice)));
        assertNull(FIRST.read(null));
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
        PayloadException refused =
                assertThrows(PayloadException.class, () -> FIRST.read("{\"number\":1,\"euros\":\"many\"}"));
        assertTrue(refused.getMessage().contains("many"), refused::getMessage);
        assertThrows(PayloadException.class, () -> FIRST.read("{\"number\":1}"));
        assertThrows(PayloadException.class, () -> FIRST.read("{\"number\":1,\"euros\":2,\"unknown\":3}"));
        assertThrows(PayloadException.class, () -> FIRST.read("no json"));
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
