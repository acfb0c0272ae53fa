package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertSame;

import io.twinbell.Twinbell;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A pair on a static field lives as long as the class with the field. */
@Timeout(300)
class NestedPairTest {
    @RegisterExtension
    static final TwinbellExtension TWINBELL = TwinbellExtension.onServers(
            () -> TestPair.builder(database -> Twinbell.builder()).patience(Duration.ofMinutes(2)));

    private static TestPair started;

    @BeforeAll
    static void remember() {
        started = TWINBELL.pair();
    }

    /** The nested classes have ended by now. */
    @AfterAll
    static void stillRuns() {
        assertSame(started, TWINBELL.pair());
    }

    @Test
    void the_class_has_one_pair(TestPair pair) {
        assertSame(started, pair);
    }

    @Nested
    class Inner {
        @Test
        void a_nested_class_shares_the_pair_of_its_outer_class(TestPair pair) {
            assertSame(started, pair);
        }
    }
}
