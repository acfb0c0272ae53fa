package io.twinbell.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A request to run the slots that a task's schedule has in a past span, and that the task did not owe at that time. They
 * run one after the other, with their own fire times. At most 1000 slots are entered by one request.
 *
 * <pre>{@code
 * BackfillRequest.between(from, to).pace(Duration.ofSeconds(10)).reason("the source was empty")
 * }</pre>
 */
public final class BackfillRequest {
    private final ObjectNode json;

    private BackfillRequest(ObjectNode json) {
        this.json = json;
    }

    /**
     * A request for the slots of a span.
     *
     * @param from the first instant; not before the oldest success that the ledger keeps
     * @param to the end, exclusive; not later than now
     */
    public static BackfillRequest between(Instant from, Instant to) {
        return new BackfillRequest(ClientJson.object()).with("from", from).with("to", to);
    }

    /** Why the slots run: one line, which is a part of the reason of each execution. */
    public BackfillRequest reason(String reason) {
        return with("reason", reason);
    }

    /** The least time between the starts of two slots: 0 to 1 hour. Default: 1 s. */
    public BackfillRequest pace(Duration pace) {
        return with("pace", pace);
    }

    /** Enters nothing, and only answers which slots would be entered. */
    public BackfillRequest dryRun() {
        return with("dryRun", true);
    }

    /** The body of the HTTP request, JSON text. */
    public String json() {
        return json.toString();
    }

    ObjectNode body() {
        return json;
    }

    private BackfillRequest with(String member, Object value) {
        return new BackfillRequest(ClientJson.with(json, member, value));
    }

    @Override
    public String toString() {
        return json();
    }

    /**
     * What a request led to.
     *
     * @param slots how many slots the schedule has in the span
     * @param entered how many of them were entered; the others are owed, or the ledger has them already
     * @param fireTimes the fire times of the first 100 entered slots
     */
    public record Entered(int slots, int entered, List<Instant> fireTimes) {
        /** Reads the answer of the HTTP API. */
        public static Entered of(String json) {
            return of(ClientJson.read(json));
        }

        static Entered of(JsonNode answer) {
            List<Instant> fireTimes = new ArrayList<>();
            answer.path("fireTimes").forEach(time -> fireTimes.add(TaskView.instant(time)));
            return new Entered(
                    answer.path("slots").asInt(), answer.path("entered").asInt(), List.copyOf(fireTimes));
        }
    }
}
