package io.twinbell.tools.importer.quartz.serialized;

import java.io.IOException;
import java.io.ObjectInputStream;

/** Replaces the JDK's class of this name, so that no key of a serialized map is hashed. */
@SuppressWarnings("serial")
class HashMap extends SerializedPairs {
    private static final long serialVersionUID = 362498820763181265L;

    private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
        stream.defaultReadObject();
        stream.readInt();
        take(SerializedEntries.readPairs(stream, stream.readInt()));
    }
}
