package io.twinbell.lab.own;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A small file system for PostgreSQL, which can be filled. Only this process and its children see it. */
public final class SmallDisk implements AutoCloseable {
    private static final String SIZE = "1g";
    private static final int PIECE = 1 << 20;
    private static final int CRUMB = 512;

    private final Path place;

    private SmallDisk(Path place) {
        this.place = place;
    }

    static SmallDisk mount(Path place) throws IOException {
        SystemCommands.run("mount", "-t", "tmpfs", "-o", "mode=700,size=" + SIZE, "twinbell-drill", place.toString());
        return new SmallDisk(place);
    }

    /** Fills the file system until nothing more can be written; returns the number of bytes written. */
    public long fill() throws IOException {
        long written = 0;
        for (int piece = PIECE; piece >= CRUMB; piece /= 2) {
            written += fill(piece);
        }
        return written;
    }

    private long fill(int piece) throws IOException {
        long written = 0;
        try (OutputStream out = Files.newOutputStream(filler(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            byte[] zeros = new byte[piece];
            while (true) {
                out.write(zeros);
                written += piece;
            }
        } catch (IOException full) {
            if (Files.getFileStore(place).getUsableSpace() > PIECE) {
                throw full;
            }
            return written;
        }
    }

    public void empty() throws IOException {
        Files.deleteIfExists(filler());
    }

    /** PostgreSQL tolerates a foreign file here. */
    private Path filler() {
        return place.resolve("drill-fills-the-disk");
    }

    @Override
    public void close() throws IOException {
        SystemCommands.run("umount", place.toString());
    }
}
