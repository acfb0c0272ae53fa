package io.twinbell.tools.drill.receiver;

import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.ReceivedCall;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The receiver's call log: one line per call, written to the kernel before the call is answered. */
public final class CallLog implements AutoCloseable {
    private static final String SEPARATOR = "\t";
    private static final String BETWEEN_EPOCHS = ",";
    private static final String NONE = "-";
    private static final int FIELDS = 7;

    private final FileChannel channel;

    private CallLog(FileChannel channel) {
        this.channel = channel;
    }

    static CallLog append(Path file) throws IOException {
        return new CallLog(FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    synchronized void add(ReceivedCall call) throws IOException {
        String line = String.join(
                        SEPARATOR,
                        Long.toString(call.arrivedMicros()),
                        Long.toString(call.slot().taskId()),
                        Long.toString(call.slot().fireMillis()),
                        Integer.toString(call.attempt()),
                        Long.toString(call.epoch()),
                        Integer.toString(call.beside()),
                        epochs(call))
                + "\n";
        ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Reads all complete lines. */
    public static List<ReceivedCall> read(Path file) throws IOException {
        String text = Files.readString(file, StandardCharsets.US_ASCII);
        List<ReceivedCall> calls = new ArrayList<>();
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
            calls.add(parse(line));
        }
        return calls;
    }

    private static String epochs(ReceivedCall call) {
        return call.otherEpochs().isEmpty()
                ? NONE
                : call.otherEpochs().stream().map(String::valueOf).collect(Collectors.joining(BETWEEN_EPOCHS));
    }

    private static List<Long> epochs(String field) {
        return field.equals(NONE)
                ? List.of()
                : Stream.of(field.split(BETWEEN_EPOCHS)).map(Long::valueOf).toList();
    }

    private static ReceivedCall parse(String line) throws IOException {
        String[] fields = line.split(SEPARATOR);
        if (fields.length != FIELDS) {
            throw new IOException("not a valid line of the receiver's log: " + line);
        }
        return new ReceivedCall(
                new CheckedSlot(Long.parseLong(fields[1]), Long.parseLong(fields[2])),
                Integer.parseInt(fields[3]),
                Long.parseLong(fields[4]),
                Long.parseLong(fields[0]),
                Integer.parseInt(fields[5]),
                epochs(fields[6]));
    }

    @Override
    public synchronized void close() throws IOException {
        channel.close();
    }
}
