package io.twinbell.tools.importer.quartz.serialized;

import java.io.Serializable;
import java.util.List;

/** The keys and values of a serialized map. */
@SuppressWarnings("serial")
class SerializedPairs implements Serializable {
    private static final long serialVersionUID = 1L;

    private transient List<Object> pairs = List.of();

    final void take(List<Object> read) {
        pairs = read;
    }

    /** Alternating keys and values. */
    final List<Object> pairs() {
        return pairs == null ? List.of() : pairs;
    }
}
