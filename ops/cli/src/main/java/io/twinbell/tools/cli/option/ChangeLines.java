package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.tools.manifest.ManifestChange;
import io.twinbell.tools.manifest.ManifestChange.ChangeKind;
import io.twinbell.tools.terminal.Terminal;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** Renders planned or completed changes, for people and for programs. */
public final class ChangeLines {
    private static final Map<String, String> COLOURS = Map.of("+", "32", "~", "33", "-", "31", "!", "35");

    private final boolean hasColours;

    public ChangeLines(Terminal terminal) {
        hasColours = terminal.hasColours();
    }

    /** A change with a line for each member that differs. */
    public String text(ManifestChange change) {
        StringBuilder text = new StringBuilder(painted(
                change.changeKind().sign(),
                ControlCharacters.spaced(change.kind().word() + " " + change.key())));
        if (change.obstacle() != null) {
            text.append(": ").append(ControlCharacters.spaced(change.obstacle()));
        }
        change.differences().forEach(one -> text.append("\n    ").append(ControlCharacters.spaced(one.line())));
        return text.toString();
    }

    public String painted(String sign, String text) {
        String line = sign + " " + text;
        return hasColours && COLOURS.containsKey(sign) ? "\033[" + COLOURS.get(sign) + "m" + line + "\033[0m" : line;
    }

    public static ObjectNode json(ManifestChange change) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("kind", change.kind().word());
        json.put("key", change.key());
        json.put("action", change.changeKind().name());
        if (change.obstacle() != null) {
            json.put("reason", change.obstacle());
        }
        if (!change.differences().isEmpty()) {
            ArrayNode differences = json.putArray("differences");
            change.differences().forEach(one -> {
                ObjectNode difference = differences.addObject().put("pointer", one.pointer());
                one.members().forEach((name, value) -> {
                    if (!value.isMissingNode()) {
                        difference.set(name, value);
                    }
                });
            });
        }
        return json;
    }

    /** The number of changes of each kind, such as {@code 2 to create, 1 to change, 5 unchanged}. */
    public static String summary(List<ManifestChange> changes) {
        StringJoiner summary = new StringJoiner(", ");
        for (ChangeKind changeKind : new ChangeKind[] {
            ChangeKind.CREATE,
            ChangeKind.UPDATE,
            ChangeKind.REMOVE,
            ChangeKind.PASS_OVER,
            ChangeKind.REFUSE,
            ChangeKind.KEEP
        }) {
            long count = changes.stream()
                    .filter(change -> change.changeKind() == changeKind)
                    .count();
            if (count > 0) {
                boolean isState = changeKind == ChangeKind.KEEP || changeKind == ChangeKind.REFUSE;
                summary.add(count + (isState ? " " : " to ") + changeKind.word());
            }
        }
        return summary.length() == 0 ? "nothing is declared" : summary.toString();
    }
}
