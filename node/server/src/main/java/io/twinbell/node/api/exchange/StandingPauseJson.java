package io.twinbell.node.api.exchange;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.access.Principal;
import io.twinbell.node.json.Instants;
import io.twinbell.persistence.cluster.Pause;

/** Writes a standing pause as JSON, and decides who sees it. */
public final class StandingPauseJson {
    private static final String APP = "app:";

    private StandingPauseJson() {}

    /** A bound principal sees the pauses of tags and handlers too, because they stop its own tasks. */
    public static boolean isVisibleTo(Principal principal, Pause pause) {
        return !pause.key().startsWith(APP) || principal.sees(pause.key().substring(APP.length()));
    }

    public static ObjectNode of(Pause pause) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("key", pause.key());
        json.put("since", Instants.text(pause.fromMillis()));
        json.put("until", pause.untilMillis() == Long.MAX_VALUE ? null : Instants.text(pause.untilMillis()));
        json.put("reason", pause.reason());
        json.put("by", pause.by());
        return json;
    }
}
