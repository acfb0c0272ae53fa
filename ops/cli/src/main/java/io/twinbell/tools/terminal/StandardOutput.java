package io.twinbell.tools.terminal;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Optional;

/**
 * Standard output that remembers write errors. Java's writers swallow them, so an export to a full disk would seem to
 * succeed.
 */
public final class StandardOutput extends FilterOutputStream {
    private IOException failure;

    StandardOutput(OutputStream out) {
        super(out);
    }

    /** Redirects {@link System#out} through a new instance from now on. */
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

    /** The error that lost output. A reader that closed its end, such as {@code head}, is no error. */
    public Optional<String> lost() {
        return Optional.ofNullable(failure)
                .map(IOException::getMessage)
                .filter(message -> !message.contains("Broken pipe"));
    }
}
