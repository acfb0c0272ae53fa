package io.twinbell.tools.drill;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.ControlCharacters;
import java.util.stream.Collectors;

/** The result of a drill as the drilled pair stores it, so that the console shows it. */
public final class ResultEntry {
    public static final String PATH = "/api/v1/cluster/drills";

    private static final int MAX_SUMMARY = 4000;

    private ResultEntry() {}

    /**
     * An entry that can be completed with the role's move.
     *
     * @param master the master before the drill; null if unknown
     */
    public static ObjectNode of(String drill, boolean passed, String master, String summary) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("drill", drill)
                .put("passed", passed)
                .put("master", master)
                .put("summary", summary(summary));
    }

    /** @param master as above */
    public static ObjectNode brokenOff(String fault, String master, String why) {
        return of(fault, false, master, "The drill was aborted: " + why);
    }

    /** The API refuses what nobody sees, and a round without an entry would be missing in the list. */
    private static String summary(String text) {
        int length = Math.min(text.length(), MAX_SUMMARY);
        boolean isCutInCharacter = length < text.length() && Character.isHighSurrogate(text.charAt(length - 1));
        return text.substring(0, isCutInCharacter ? length - 1 : length)
                .lines()
                .map(ControlCharacters::spaced)
                .collect(Collectors.joining("\n"));
    }
}
