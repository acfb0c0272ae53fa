package io.twinbell.tools.terminal;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Optional;

/**
 * Standard output, which remembers why it could not be written. The writers of Java swallow that, and an export to a full disk
 * would have ended well.
 */
public final class StandardOutput extends FilterOutputStream {
    private IOException failure;

    StandardOutput(OutputStream out) {
        super(out);
    }

    /** From now on everything that is written to {@link System#out} comes through here. */
    public static StandardOutput installed() {
        StandardOutput output = new StandardOutput(new FileOutputStream(FileDescriptor.out));
        System.setOut(new PrintStream(output, true));
        return output;
    }

    @Override
    public void write(int octet) throws IOException {
        write(new byte[] {(byte) octet}, 0, 1);
    }

    @Override
    public void write(byte[] octets, int start, int length) throws IOException {
        try {
            out.write(octets, start, length);
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    /** Why something is lost; a reader that went away, as {@code head} does, has lost nothing that it wanted. */
    public Optional<String> lost() {
        return Optional.ofNullable(failure)
                .map(IOException::getMessage)
                .filter(message -> !message.contains("Broken pipe"));
    }
}
