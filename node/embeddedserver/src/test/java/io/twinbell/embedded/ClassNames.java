package io.twinbell.embedded;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the constants of a class file. */
final class ClassNames {
    private static final Pattern DESCRIPTOR = Pattern.compile("L([\\w/$]+)[;<]");
    private static final int UTF8 = 1;

    private ClassNames() {}

    /**
     * Returns all texts of the class that may be the name of a class, with slashes: names of classes, types of members,
     * and strings.
     */
    static Set<String> in(InputStream code) throws IOException {
        DataInputStream in = new DataInputStream(code);
        in.readLong();
        int count = in.readUnsignedShort();
        String[] texts = new String[count];
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            if (tag == UTF8) {
                texts[i] = in.readUTF();
            } else {
                in.skipNBytes(length(tag));
            }
            if (isWide(tag)) {
                i++;
            }
        }
        return Arrays.stream(texts)
                .filter(text -> text != null)
                .flatMap(ClassNames::names)
                .collect(Collectors.toSet());
    }

    private static Stream<String> names(String text) {
        Matcher types = DESCRIPTOR.matcher(text);
        return Stream.concat(Stream.of(text.replace('.', '/')), types.results().map(type -> type.group(1)));
    }

    /** The length of a constant behind its tag: section 4.4 of the specification of the Java virtual machine. */
    private static int length(int tag) {
        return switch (tag) {
            case 7, 8, 16, 19, 20 -> 2;
            case 15 -> 3;
            case 3, 4, 9, 10, 11, 12, 17, 18 -> 4;
            case 5, 6 -> 8;
            default -> throw new IllegalArgumentException("no constant has the tag " + tag);
        };
    }

    /** A long or a double takes two places. */
    private static boolean isWide(int tag) {
        return tag == 5 || tag == 6;
    }
}
