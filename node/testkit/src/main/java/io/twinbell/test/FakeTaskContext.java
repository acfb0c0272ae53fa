package io.twinbell.test;

import io.twinbell.handler.Callback;
import io.twinbell.handler.TaskContext;
import io.twinbell.persistence.ledger.Slot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A context for a test of a handler alone: {@code handler.run(new FakeTaskContext().data("{\"id\":4711}").attempt(2))}. It
 * keeps what the handler reports.
 */
public final class FakeTaskContext implements TaskContext {
    private final Map<String, String> attributes = new HashMap<>();
    private final List<String> lines = new ArrayList<>();
    private final List<Double> fractions = new ArrayList<>();
    private String app = "test";
    private String name = "task";
    private Instant fireTime = Instant.parse("2026-01-01T00:00:00Z");
    private int attempt = 1;
    private long epoch = 1;
    private String data;
    private String checkpoint;
    private boolean isParked;

    public FakeTaskContext task(String taskApp, String taskName) {
        app = taskApp;
        name = taskName;
        return this;
    }

    public FakeTaskContext fireTime(Instant instant) {
        fireTime = instant;
        return this;
    }

    public FakeTaskContext attempt(int number) {
        attempt = number;
        return this;
    }

    public FakeTaskContext epoch(long number) {
        epoch = number;
        return this;
    }

    /** @param json the task's data; null for none */
    public FakeTaskContext data(String json) {
        data = json;
        return this;
    }

    /** Sets a value as an interceptor would. */
    public FakeTaskContext attribute(String attribute, String value) {
        attributes.put(attribute, value);
        return this;
    }

    /** Sets the checkpoint that an earlier attempt saved. */
    public FakeTaskContext savedCheckpoint(String json) {
        checkpoint = json;
        return this;
    }

    /** Returns the lines that the handler has logged. */
    public List<String> logLines() {
        return List.copyOf(lines);
    }

    /** Returns the fractions that the handler has reported as its progress. */
    public List<Double> progressReports() {
        return List.copyOf(fractions);
    }

    /** Whether the handler has parked its execution. */
    public boolean isParked() {
        return isParked;
    }

    @Override
    public long taskId() {
        return 1;
    }

    @Override
    public String app() {
        return app;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Instant fireTime() {
        return fireTime;
    }

    @Override
    public String idempotencyKey() {
        return new Slot(taskId(), fireTime.toEpochMilli()).idempotencyKey();
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public String data() {
        return data;
    }

    @Override
    public String attribute(String attribute) {
        return attributes.get(attribute);
    }

    @Override
    public void progress(double fraction, String message) {
        fractions.add(fraction);
    }

    @Override
    public void log(String line) {
        lines.add(line);
    }

    @Override
    public void checkpoint(String json) {
        checkpoint = json;
    }

    @Override
    public String lastCheckpoint() {
        return checkpoint;
    }

    @Override
    public Callback park() {
        isParked = true;
        return new Callback("1-1", "test-token", List.of(), List.of());
    }
}
