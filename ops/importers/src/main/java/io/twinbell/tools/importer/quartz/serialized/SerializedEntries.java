package io.twinbell.tools.importer.quartz.serialized;

import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the elements of a serialized collection in their order. Nothing is hashed or compared, because the keys of a
 * hostile map could make that take forever.
 */
final class SerializedEntries {
    private SerializedEntries() {}

    static List<Object> read(ObjectInputStream stream, int number) throws IOException, ClassNotFoundException {
        if (number < 0) {
            throw new InvalidObjectException("a collection of size " + number);
        }
        List<Object> read = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            read.add(stream.readObject());
        }
        return read;
    }

    /** Reads alternating keys and values. */
    static List<Object> readPairs(ObjectInputStream stream, int number) throws IOException, ClassNotFoundException {
        if (number < 0 || number > Integer.MAX_VALUE / 2) {
            throw new InvalidObjectException("a map of size " + number);
        }
        return read(stream, 2 * number);
    }
}
