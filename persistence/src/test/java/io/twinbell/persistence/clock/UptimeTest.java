package io.twinbell.persistence.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UptimeTest {
    private static final Ticker OTHERWISE = () -> -7;

    @TempDir
    private Path directory;

    @Test
    void it_tells_the_first_of_the_two_numbers_each_time_anew() throws IOException {
        Ticker uptime = Uptime.in(says("44051.87 47361.51\n"), OTHERWISE);
        assertEquals(44_051_870_000_000L, uptime.nanos());
        says("100044051.90 7.00\n");
        assertEquals(100_044_051_900_000_000L, uptime.nanos());
    }

    @Test
    void where_no_file_is_the_other_clock_tells() {
        assertSame(OTHERWISE, Uptime.in(directory.resolve("uptime"), OTHERWISE));
    }

    @Test
    void an_unreadable_item_is_not_requested_again() throws IOException {
        for (String unreadable : new String[] {"", "soon", "up 3 days\n"}) {
            Ticker uptime = Uptime.in(says(unreadable), OTHERWISE);
            assertEquals(-7, uptime.nanos(), unreadable);
            says("1.00 1.00\n");
            assertEquals(-7, uptime.nanos(), unreadable);
        }
    }

    @Test
    void an_interrupted_thread_reads_it_too() {
        Ticker.UPTIME.nanos();
        Thread.currentThread().interrupt();
        long before = Ticker.UPTIME.nanos();
        assertTrue(Thread.interrupted(), "the flag stays");
        assertTrue(Ticker.UPTIME.nanos() >= before);
    }

    private Path says(String text) throws IOException {
        return Files.writeString(directory.resolve("uptime"), text);
    }
}
