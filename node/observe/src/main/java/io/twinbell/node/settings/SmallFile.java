package io.twinbell.node.settings;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Reads a file that a configuration names. It refuses a named pipe, which may block forever, and a device, which may
 * have no end. Each message says what kind of file is at the path, without the path.
 */
public final class SmallFile {
    private static final int MOST_BYTES = 1 << 20;

    private SmallFile() {}

    /** The file's text, decoded as UTF-8. */
    public static String read(Path file) throws IOException {
        check(file);
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MOST_BYTES + 1);
        }
        if (bytes.length > MOST_BYTES) {
            throw new IOException("the file is larger than 1 MB");
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IOException("the file is not UTF-8 text", e);
        }
    }

    /** @throws IOException if it is not a readable regular file */
    public static void check(Path file) throws IOException {
        if (isDescriptor(file)) {
            return;
        }
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            if (found.isDirectory()) {
                throw new IOException("it is a directory, not a file");
            }
            if (!found.isRegularFile()) {
                throw new IOException("it is a named pipe, a socket or a device, not a file");
            }
        } catch (NoSuchFileException e) {
            throw new IOException(
                    Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                            ? "it is a symbolic link to " + Files.readSymbolicLink(file) + ", which does not exist"
                            : "the file does not exist",
                    e);
        } catch (AccessDeniedException e) {
            throw new IOException("this user may not enter a directory of the path", e);
        } catch (FileSystemException e) {
            throw new IOException(e.getReason() == null ? e.getMessage() : e.getReason(), e);
        }
        if (!Files.isReadable(file)) {
            throw new IOException("this user may not read the file");
        }
    }

    /** Whether the path is an open descriptor. A shell's {@code <(command)} is a pipe with a writer. */
    private static boolean isDescriptor(Path file) {
        return file.startsWith("/dev/fd") || file.startsWith("/proc/self/fd");
    }
}
