package io.twinbell.persistence.database;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatabaseUnavailableExceptionTest {
    /** The states 25P03 and 25P04 end the session: a migration that meets them is tried again. */
    @ParameterizedTest
    @CsvSource({
        "08006, true",
        "57P01, true",
        "57014, true",
        "55P03, true",
        "40P01, true",
        "25P03, true",
        "25P04, true",
        "25P02, false",
        "23505, false",
        "42P01, false"
    })
    void a_failure_that_says_nothing_about_the_statement_may_be_followed_by_another_try(
            String state, boolean expected) {
        SQLException cause = new SQLException("test", state);
        assertEquals(expected, new DatabaseUnavailableException("test", cause).isTransient());
    }
}
