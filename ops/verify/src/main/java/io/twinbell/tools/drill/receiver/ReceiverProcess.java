package io.twinbell.tools.drill.receiver;

import io.twinbell.tools.check.history.ReceivedCall;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;

/** Runs the receiver in its own process, so that the pair and the drill do not slow it down. */
public final class ReceiverProcess implements AutoCloseable {
    private final Process process;
    private final String url;
    private final Path log;

    private ReceiverProcess(Process process, String url, Path log) {
        this.process = process;
        this.url = url;
        this.log = log;
    }

    /** @param log the file for the calls */
    public static ReceiverProcess start(Path log, String host) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CallReceiver.class.getName(),
                        host,
                        log.toString())
                .redirectError(Redirect.INHERIT)
                .start();
        BufferedReader out = process.inputReader();
        String url = out.readLine();
        if (url == null) {
            throw new IOException("the receiver did not start");
        }
        return new ReceiverProcess(process, url, log);
    }

    public String url() {
        return url;
    }

    /** Every call received so far. */
    public List<ReceivedCall> calls() throws IOException {
        return CallLog.read(log);
    }

    Path log() {
        return log;
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        process.onExit().join();
    }
}
