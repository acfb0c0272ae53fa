package io.twinbell.tools.verify;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** Iterates over a list of the API with one page at a time in memory. */
final class RowPages {
    private final NodeClient node;
    private final String path;
    private Iterator<JsonNode> page;
    private String next;

    /** @param path with a query, and without a cursor */
    RowPages(NodeClient node, String path) throws NodeException {
        this.node = node;
        this.path = path;
        take(node.get(path));
    }

    /** @param first the answer to {@code path}, if it has already been read */
    RowPages(NodeClient node, String path, JsonNode first) {
        this.node = node;
        this.path = path;
        take(first);
    }

    private void take(JsonNode answer) {
        page = answer.path("items").iterator();
        next = answer.path("next").asText(null);
    }

    boolean hasNext() throws NodeException {
        while (!page.hasNext() && next != null) {
            take(node.get(path + "&after=" + next));
        }
        return page.hasNext();
    }

    JsonNode next() throws NodeException {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return page.next();
    }
}
