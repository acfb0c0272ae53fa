package io.twinbell.tools.verify;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Checks the hash chain of the audit from its first seal to its end. */
public final class AuditVerifier {
    /** More problems than this are counted only. */
    private static final int MOST_KEPT = 1000;

    private final NodeClient node;
    private final Anchor anchor;
    private final List<String> problems = new ArrayList<>();
    private long problemCount;
    private long seals;
    private long entries;
    private String last = "";
    private boolean isAnchored;

    /** A seal that was noted elsewhere, for example in a log. The chain must still contain it. */
    public record Anchor(long number, String chain) {
        /** @throws IllegalArgumentException if the text is not {@code NUMBER:HASH} */
        public static Anchor parse(String text) {
            if (!text.matches("[0-9]{1,18}:[0-9a-f]{64}")) {
                throw new IllegalArgumentException("an anchor is NUMBER:HASH, as in the log line \"audit seal …\"");
            }
            int colon = text.indexOf(':');
            return new Anchor(Long.parseLong(text.substring(0, colon)), text.substring(colon + 1));
        }
    }

    /** @param anchor null for none */
    public AuditVerifier(NodeClient node, Anchor anchor) {
        this.node = node;
        this.anchor = anchor;
    }

    /**
     * The result of the check.
     *
     * @param last the last seal as {@code NUMBER:HASH}; empty if there is none
     * @param unsealed entries that no seal protects yet
     */
    public record AuditResult(
            long seals,
            long entries,
            String last,
            long unsealed,
            long oldestSeconds,
            long count,
            List<String> problems) {
        public boolean isSound() {
            return count == 0;
        }

        public ObjectNode json() {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("seals", seals).put("entries", entries).put("last", last);
            json.put("unsealed", unsealed).put("oldestSeconds", oldestSeconds).put("problemCount", count);
            problems.forEach(json.putArray("problems")::add);
            return json;
        }

        public List<String> lines() {
            List<String> lines = new ArrayList<>(problems);
            lines.add(String.format(
                    Locale.ROOT,
                    "%d entries in %d seals, %d problems; %d entries not sealed yet, the oldest for %d s",
                    entries,
                    seals,
                    count,
                    unsealed,
                    oldestSeconds));
            if (!last.isEmpty()) {
                lines.add("last seal " + last);
            }
            return lines;
        }
    }

    public AuditResult verify() throws NodeException {
        String after = "0";
        while (true) {
            JsonNode page = node.get("/api/v1/audit/seals?limit=100&after=" + after);
            page.path("items").forEach(this::add);
            if (page.path("next").isTextual()) {
                after = page.path("next").asText();
                continue;
            }
            JsonNode end = page.path("end");
            if (end.path("problem").isTextual()) {
                problem(end.path("problem").asText());
            }
            if (anchor != null && !isAnchored) {
                problem("the chain has no seal " + anchor.number());
            }
            return new AuditResult(
                    seals,
                    entries,
                    last,
                    end.path("unsealed").asLong(),
                    end.path("oldestSeconds").asLong(),
                    problemCount,
                    problems);
        }
    }

    private void add(JsonNode seal) {
        seals++;
        entries += seal.path("entries").asLong();
        last = seal.path("number").asText() + ":" + seal.path("chain").asText();
        seal.path("problems").forEach(problem -> problem(problem.asText()));
        if (anchor != null && seal.path("number").asLong() == anchor.number()) {
            isAnchored = true;
            if (!seal.path("chain").asText().equals(anchor.chain())) {
                problem("seal " + anchor.number() + " differs from the anchor");
            }
        }
    }

    private void problem(String text) {
        problemCount++;
        if (problems.size() < MOST_KEPT) {
            problems.add(text);
        }
    }
}
