package io.twinbell.tools.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StandardOutputTest {
    @Test
    void a_full_disk_is_reported() {
        assertEquals(Optional.of("No space left on device"), lostOn("No space left on device"));
    }

    @Test
    void a_reader_that_went_away_is_no_loss() {
        assertEquals(Optional.empty(), lostOn("Broken pipe"));
    }

    private static Optional<String> lostOn(String failure) {
        StandardOutput output = new StandardOutput(new OutputStream() {
            @Override
            public void write(int octet) throws IOException {
                throw new IOException(failure);
            }
        });
        new PrintStream(output, true).println("x");
        return output.lost();
    }
}
