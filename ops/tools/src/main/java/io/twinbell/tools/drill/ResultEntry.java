package io.twinbell.tools.drill;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.drill.installed.InstalledDrill;
import io.twinbell.tools.verify.VerificationText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** The result of a round as the drilled pair stores it, so that the console and {@code twinbell drills} show it. */
final class ResultEntry {
    static final String PATH = "/api/v1/cluster/drills";

    private static final int MAX_SUMMARY = 4000;

    private ResultEntry() {}

    static ObjectNode of(RoundResult round) {
        StringWriter text = new StringWriter();
        new RoundText(new PrintWriter(text)).print(round);
        boolean hasMoved = round.epoch() > round.roles().epoch();
        return entry(round.scene().fault(), round.passed(), round.roles().master(), text.toString())
                .put("successor", hasMoved ? round.roles().standby() : null)
                .put("epoch", round.epoch())
                .put("gapMillis", boxed(round.gap().millis()));
    }

    /** @param master the master before the drill; null if unknown */
    static ObjectNode brokenOff(String fault, String master, String why) {
        return entry(fault, false, master, "The drill was aborted: " + why);
    }

    static ObjectNode of(InstalledDrill.Result result) {
        String text = "master " + result.from() + " -> " + result.to() + "\n"
                + String.join("\n", VerificationText.lines(result.verdict()));
        return entry(result.fault().word(), result.passed(), result.from(), text)
                .put("successor", result.to())
                .put("epoch", result.epoch())
                .put("gapMillis", result.silenceMillis());
    }

    private static ObjectNode entry(String drill, boolean passed, String master, String summary) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("drill", drill)
                .put("passed", passed)
                .put("master", master)
                .put("summary", summary(summary));
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

    private static Long boxed(OptionalLong millis) {
        return millis.isPresent() ? (Long) millis.getAsLong() : null;
    }
}
