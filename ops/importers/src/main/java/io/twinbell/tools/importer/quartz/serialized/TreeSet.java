package io.twinbell.tools.importer.quartz.serialized;

import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;

/** Replaces the JDK's class of this name, so that no elements of a serialized set are compared. */
@SuppressWarnings("serial")
final class TreeSet extends SerializedItems {
    private static final long serialVersionUID = -2479143000061671589L;

    private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
        stream.defaultReadObject();
        if (stream.readObject() != null) {
            throw new InvalidObjectException("a set with a custom order");
        }
        take(SerializedEntries.read(stream, stream.readInt()));
    }
}
