package io.twinbell.test;

import io.twinbell.Tasks;
import io.twinbell.Twinbell;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Starts a {@link TestScheduler} or a {@link TestPair} before each test of JUnit 5 and closes it afterwards. Tests take it,
 * its {@link TestClock} or {@link TestDatabase}, its {@link Tasks} or {@link Twinbell} as parameters.
 *
 * <pre>{@code
 * @RegisterExtension
 * final TwinbellExtension twinbell = TwinbellExtension.of(() -> TestScheduler.builder()
 *         .startingAt("2026-03-01T00:00:00Z")
 *         .handler("invoice.close", context -> invoices.close()));
 * }</pre>
 */
public final class TwinbellExtension
        implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private static final Map<Class<?>, Function<TwinbellFixture, Object>> OF_BOTH = Map.of(
            TwinbellFixture.class, fixture -> fixture,
            Tasks.class, TwinbellFixture::tasks,
            Twinbell.class, TwinbellFixture::twinbell);
    private static final Map<Class<?>, Function<TestScheduler, Object>> OF_SCHEDULER =
            Map.of(TestScheduler.class, scheduler -> scheduler, TestClock.class, TestScheduler::clock);
    private static final Map<Class<?>, Function<TestPair, Object>> OF_PAIR =
            Map.of(TestPair.class, pair -> pair, TestDatabase.class, TestPair::database);

    private final Supplier<TwinbellFixture> start;
    private final boolean isOnServers;
    private TwinbellFixture fixture;
    private Class<?> startedFor;

    private TwinbellExtension(Supplier<TwinbellFixture> start, boolean isOnServers) {
        this.start = start;
        this.isOnServers = isOnServers;
    }

    /**
     * Runs the tests in virtual time.
     *
     * @param builder called before each test: a builder starts one scheduler
     */
    public static TwinbellExtension of(Supplier<TestScheduler.Builder> builder) {
        return new TwinbellExtension(() -> builder.get().start(), false);
    }

    /**
     * Runs the tests on real servers. On a static field, all tests of the class and of its nested classes share one
     * pair, which saves some seconds for each; otherwise each test has its own.
     *
     * @param builder called before each test, or once for the class
     */
    public static TwinbellExtension onServers(Supplier<TestPair.Builder> builder) {
        return new TwinbellExtension(() -> builder.get().start(), true);
    }

    /**
     * Returns the scheduler of the current test.
     *
     * @throws IllegalStateException if no test runs, or tests run on real servers
     */
    public TestScheduler scheduler() {
        if (running() instanceof TestScheduler scheduler) {
            return scheduler;
        }
        throw new IllegalStateException("this extension runs its tests on real servers: use pair()");
    }

    /**
     * Returns the pair of the current test.
     *
     * @throws IllegalStateException if no test runs, or tests run in virtual time
     */
    public TestPair pair() {
        if (running() instanceof TestPair pair) {
            return pair;
        }
        throw new IllegalStateException("this extension runs its tests in virtual time: use scheduler()");
    }

    private TwinbellFixture running() {
        if (fixture == null) {
            throw new IllegalStateException("no test runs now: register this extension with @RegisterExtension"
                    + (isOnServers ? "" : ", on a field that is not static"));
        }
        return fixture;
    }

    /** JUnit calls it for static fields only. */
    @Override
    public void beforeAll(ExtensionContext context) {
        // JUnit also calls it for each @Nested class, whose tests share the pair of the outer class.
        if (isOnServers && fixture == null) {
            fixture = start.get();
            startedFor = context.getRequiredTestClass();
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        if (startedFor == null) {
            fixture = start.get();
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (startedFor == null) {
            close();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (context.getRequiredTestClass().equals(startedFor)) {
            startedFor = null;
            close();
        }
    }

    private void close() {
        if (fixture != null) {
            fixture.close();
            fixture = null;
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return OF_BOTH.containsKey(type) || (isOnServers ? OF_PAIR : OF_SCHEDULER).containsKey(type);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        if (OF_BOTH.containsKey(type)) {
            return OF_BOTH.get(type).apply(running());
        }
        return isOnServers
                ? OF_PAIR.get(type).apply(pair())
                : OF_SCHEDULER.get(type).apply(scheduler());
    }
}
