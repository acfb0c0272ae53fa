package io.twinbell.tools.drill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

class ResultEntryTest {
    @Test
    void a_summary_keeps_its_lines_without_characters_that_the_api_refuses() {
        assertEquals(
                "The drill was aborted: task shop/a b\n no answer",
                summary(ResultEntry.brokenOff("kill", "a", "task shop/a\u202eb\r\n\tno answer")));
    }

    @Test
    void a_summary_is_cut_between_characters() {
        String cut = summary(ResultEntry.brokenOff("kill", "a", "\ud83d\udd14".repeat(3000)));
        assertTrue(cut.length() <= 4000 && cut.length() > 3990, () -> "length " + cut.length());
        assertTrue(Character.isLowSurrogate(cut.charAt(cut.length() - 1)), "half of a character");
    }

    private static String summary(ObjectNode entry) {
        return entry.path("summary").textValue();
    }
}
