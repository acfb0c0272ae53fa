package io.twinbell.tools.importer.quartz.serialized;

import java.io.Serializable;
import java.util.List;

/** The elements of a serialized list or set. */
@SuppressWarnings("serial")
class SerializedItems implements Serializable {
    private static final long serialVersionUID = 1L;

    private transient List<Object> items = List.of();

    final void take(List<Object> read) {
        items = read;
    }

    final List<Object> items() {
        return items == null ? List.of() : items;
    }
}
