package io.twinbell.client;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Turns a payload of one version into a payload of the next version. */
@FunctionalInterface
public interface PayloadUpgrade {
    /**
     * Returns the payload in the next version, which may be the changed argument.
     *
     * @param payload the JSON of the earlier version
     */
    ObjectNode upgrade(ObjectNode payload);
}
