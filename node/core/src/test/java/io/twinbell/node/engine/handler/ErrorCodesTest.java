package io.twinbell.node.engine.handler;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.handler.TaskFailedException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.sql.SQLException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorCodesTest {
    @Test
    void the_outermost_exception_with_a_code_names_it() {
        TaskFailedException own = new TaskFailedException("STOCK_EMPTY", "none left", new SQLException("x", "40001"));
        assertAll(
                () -> assertEquals("STOCK_EMPTY", ErrorCodes.of(own)),
                () -> assertEquals("STOCK_EMPTY", ErrorCodes.of(new CompletionException(own))),
                () -> assertEquals("SQL_40001", ErrorCodes.of(new RuntimeException(new SQLException("x", "40001")))),
                () -> assertEquals("INTERRUPTED", ErrorCodes.of(new CancellationException())),
                () -> assertEquals("HANDLER_EXCEPTION", ErrorCodes.of(new IllegalStateException("x"))),
                () -> assertEquals("HANDLER_EXCEPTION", ErrorCodes.of(new SQLException("without a state"))));
    }

    @Test
    void an_interruption_of_a_stopped_run_is_told_from_other_failures() {
        assertAll(
                () -> assertEquals("INTERRUPTED", ErrorCodes.of(new InterruptedException(), true)),
                () -> assertEquals(
                        "INTERRUPTED", ErrorCodes.of(new IllegalStateException(new InterruptedException()), true)),
                () -> assertEquals("INTERRUPTED", ErrorCodes.of(new ClosedByInterruptException(), true)),
                () -> assertEquals("HANDLER_EXCEPTION", ErrorCodes.of(new InterruptedException(), false)),
                () -> assertEquals("HANDLER_EXCEPTION", ErrorCodes.of(new SocketTimeoutException(), true)),
                () -> assertEquals("HANDLER_EXCEPTION", ErrorCodes.of(new IllegalStateException("x"), true)));
    }

    @Test
    void a_cycle_of_causes_has_an_end() {
        RuntimeException first = new RuntimeException("first");
        first.initCause(new RuntimeException("second", first));
        assertEquals("HANDLER_EXCEPTION", ErrorCodes.of(first));
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = {"stock", "1ST", "A-B", "A B", "_A", "Ä"})
    void a_code_of_another_form_is_refused(String code) {
        assertThrows(IllegalArgumentException.class, () -> new TaskFailedException(code, "x"));
    }

    @Test
    void a_code_has_at_most_63_characters() {
        assertEquals("A".repeat(63), new TaskFailedException("A".repeat(63), "x").errorCode());
        assertThrows(IllegalArgumentException.class, () -> new TaskFailedException("A".repeat(64), "x"));
    }
}
