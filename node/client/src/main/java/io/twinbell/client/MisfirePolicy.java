package io.twinbell.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;

/** What happens to overdue slots, as in the {@code misfire} of the HTTP API. Instances are immutable. */
public final class MisfirePolicy {
    private final ObjectNode json;

    private MisfirePolicy(ObjectNode json) {
        this.json = json;
    }

    /** Which slots run if there are more than {@code max}. */
    public enum Preferred {
        NEWEST,
        OLDEST
    }

    /** Runs the newest overdue slot. */
    public static MisfirePolicy fireOnce() {
        return new MisfirePolicy(ClientJson.object().put("policy", "FIRE_ONCE"));
    }

    /** Runs no overdue slot. */
    public static MisfirePolicy skip() {
        return new MisfirePolicy(ClientJson.object().put("policy", "SKIP"));
    }

    /** Runs overdue slots, at most this many, 1 to 1000. */
    public static MisfirePolicy fireAll(int most) {
        return new MisfirePolicy(ClientJson.object().put("policy", "FIRE_ALL").put("max", most));
    }

    /** How late the oldest slot must be. Default: 30 s. */
    public MisfirePolicy threshold(Duration lateness) {
        return new MisfirePolicy(ClientJson.with(json, "threshold", lateness));
    }

    /** For {@link #fireAll}. Default: NEWEST. */
    public MisfirePolicy order(Preferred order) {
        return new MisfirePolicy(ClientJson.with(json, "order", order));
    }

    ObjectNode json() {
        return json;
    }
}
