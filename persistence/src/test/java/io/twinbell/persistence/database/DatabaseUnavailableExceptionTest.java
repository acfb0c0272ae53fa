package io.twinbell.persistence.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseUnavailableExceptionTest {
    /** The states 25P03 and 25P04 end the session: a migration that meets them is tried again. */
    @ParameterizedTest
    @CsvSource({
        "08006, true, true",
        "57P01, true, true",
        "57000, true, true",
        "57014, true, false",
        "53100, true, true",
        "53300, true, true",
        "53200, true, false",
        "58030, true, true",
        "XX000, true, false",
        "XX002, true, false",
        "55P03, true, false",
        "40P01, true, false",
        "25P03, true, false",
        "25P04, true, false",
        "25P02, false, false",
        "23505, false, false",
        "54000, false, false",
        "42P01, false, false"
    })
    void a_failure_that_says_nothing_about_the_statement_may_be_followed_by_another_try(
            String state, boolean isTransient, boolean isOutage) {
        var failure = new DatabaseUnavailableException("test", new SQLException("test", state));
        assertEquals(isTransient, failure.isTransient());
        assertEquals(isOutage, failure.isOutage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"XX000", "42501", "22023", "0A000"})
    void whatever_keeps_a_pool_from_opening_a_session_is_an_outage(String state) {
        SQLException fatal = new SQLException("FATAL: could not write init file", state);
        var failure = new DatabaseUnavailableException(
                "test", new SQLTransientConnectionException("no connection is available", state, fatal));
        assertTrue(failure.isOutage());
        assertFalse(failure.isRefusal());
    }
}
