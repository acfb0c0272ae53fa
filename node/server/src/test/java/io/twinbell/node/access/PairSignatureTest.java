package io.twinbell.node.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.access.token.PairSignature;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PairSignatureTest {
    private long millis = 1_800_000_000_000L;

    private PairSignature keyed(String key) {
        return new PairSignature(
                text -> Optional.of(hash(key, text)), (text, seal) -> seal.equals(hash(key, text)), () -> millis);
    }

    /** In the place of the keyed hash of the database's key. */
    private static String hash(String key, String text) {
        return "%064x".formatted((key + text).hashCode() & 0xffffffffL);
    }

    private static String credentials(PairSignature signature) {
        return signature.header().orElseThrow().substring("Bearer ".length());
    }

    @Test
    void a_node_is_recognized_by_the_key_of_the_database_and_may_only_read() {
        Principal node = keyed("key").resolve(credentials(keyed("key"))).orElseThrow();
        assertTrue(node.may(Permission.READ) && !node.may(Permission.OPERATE));
        assertEquals(Optional.empty(), keyed("key").resolve(credentials(keyed("other"))));
    }

    @Test
    void a_copied_signature_ends_after_a_minute() {
        String copied = credentials(keyed("key"));
        millis += 60_000;
        assertTrue(keyed("key").resolve(copied).isPresent());
        millis += 1;
        assertEquals(Optional.empty(), keyed("key").resolve(copied));
        millis -= 120_002;
        assertEquals(Optional.empty(), keyed("key").resolve(copied), "of the future");
    }

    @Test
    void without_the_key_nothing_is_sent_and_nobody_is_recognized() {
        PairSignature keyless = new PairSignature(text -> Optional.empty(), (text, seal) -> false, () -> millis);
        assertEquals(Optional.empty(), keyless.header());
        assertEquals(Optional.empty(), keyless.resolve(credentials(keyed("key"))));
        assertEquals(Optional.empty(), keyless.resolve("pair_1_2"));
    }
}
