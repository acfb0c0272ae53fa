package io.twinbell.tools.importer.quartz.serialized;

import java.io.IOException;
import java.io.ObjectInputStream;

/** Replaces the JDK's class of this name, which would allocate as many elements as the stream claims. */
@SuppressWarnings("serial")
final class ArrayList extends SerializedItems {
    private static final long serialVersionUID = 8683452581122892189L;

    int size;

    private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
        stream.defaultReadObject();
        stream.readInt();
        take(SerializedEntries.read(stream, size));
    }
}
