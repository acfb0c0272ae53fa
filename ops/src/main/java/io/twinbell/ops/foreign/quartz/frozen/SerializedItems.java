package io.twinbell.ops.foreign.quartz.frozen;

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
