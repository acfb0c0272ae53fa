package io.twinbell.tools.drill.own;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file system of PostgreSQL's own, which can be filled; only this process and those that it starts see it. */
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

    /** Until nothing more can be written; answers how many bytes that took. */
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

    /** PostgreSQL does not mind a stranger's file here. */
    private Path filler() {
        return place.resolve("drill-fills-the-disk");
    }

    @Override
    public void close() throws IOException {
        SystemCommands.run("umount", place.toString());
    }
}
