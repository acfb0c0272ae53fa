package io.twinbell.tools.importer.quartz.serialized;

import java.io.IOException;
import java.io.ObjectInputStream;

/** Replaces the JDK's class of this name, so that no keys of a serialized map are compared. */
@SuppressWarnings("serial")
final class TreeMap extends SerializedPairs {
    private static final long serialVersionUID = 919286545866124006L;

    private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
        stream.defaultReadObject();
        take(SerializedEntries.readPairs(stream, stream.readInt()));
    }
}
