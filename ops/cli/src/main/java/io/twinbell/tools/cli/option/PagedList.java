package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.client.NodeException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Reads a list of the API page by page. */
public final class PagedList {
    private static final int LONGEST = 1000;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private PagedList() {}

    /**
     * Reads items in order until the end of the list or the wanted number.
     *
     * @param query creates the same query each time
     * @return whether there are more items
     */
    public static boolean read(NodeAddresses nodes, Supplier<QueryString> query, int most, Consumer<JsonNode> items)
            throws NodeException {
        String after = null;
        int left = most;
        while (left > 0) {
            String path = query.get()
                    .with("limit", Math.min(left, LONGEST))
                    .with("after", after)
                    .path();
            JsonNode page = nodes.repeatable(LIMIT, node -> node.get(path));
            page.path("items").forEach(items);
            left -= page.path("items").size();
            after = page.path("next").asText(null);
            if (after == null || !page.path("next").isTextual()) {
                return false;
            }
        }
        return true;
    }
}
