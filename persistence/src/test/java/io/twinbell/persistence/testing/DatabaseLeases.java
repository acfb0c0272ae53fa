package io.twinbell.persistence.testing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Takes the databases back that a test or a class has got from {@link TestPostgres}, so that later tests can use them.
 * JUnit finds it as a service. A test's databases come back when the next test begins, since what a test opened is
 * closed only after its last method.
 */
public final class DatabaseLeases
        implements BeforeAllCallback, TestInstancePreConstructCallback, AfterEachCallback, AfterAllCallback {
    private static final StackWalker STACK = StackWalker.getInstance();

    private static final Deque<PGSimpleDataSource> FREE = new ArrayDeque<>();
    private static final List<PGSimpleDataSource> OF_CLASS = new ArrayList<>();
    private static final List<PGSimpleDataSource> OF_TEST = new ArrayList<>();
    private static boolean isInTest;
    private static boolean testIsOver;
    private static boolean classIsOver;

    @Override
    public void beforeAll(ExtensionContext context) {
        synchronized (TestPostgres.class) {
            takeBack();
            isInTest = false;
        }
    }

    @Override
    public void preConstructTestInstance(TestInstanceFactoryContext factory, ExtensionContext context) {
        synchronized (TestPostgres.class) {
            takeBack();
            isInTest = true;
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        synchronized (TestPostgres.class) {
            testIsOver = true;
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        synchronized (TestPostgres.class) {
            classIsOver |= context.getRequiredTestClass().getEnclosingClass() == null;
            isInTest = false;
        }
    }

    private static void takeBack() {
        if (testIsOver) {
            FREE.addAll(OF_TEST);
            OF_TEST.clear();
        }
        if (classIsOver) {
            FREE.addAll(OF_CLASS);
            OF_CLASS.clear();
        }
        testIsOver = false;
        classIsOver = false;
    }

    /** The next database that came back. */
    static Optional<PGSimpleDataSource> next() {
        return Optional.ofNullable(FREE.poll());
    }

    /** A database of a static field is never taken back: other classes may use the field, too. */
    static void lease(PGSimpleDataSource database) {
        boolean isStatic = STACK.walk(
                frames -> frames.anyMatch(frame -> frame.getMethodName().equals("<clinit>")));
        if (!isStatic) {
            (isInTest ? OF_TEST : OF_CLASS).add(database);
        }
    }
}
