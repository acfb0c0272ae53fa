package io.twinbell.spring.test;

import io.twinbell.test.TestScheduler;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Lets each test method begin with the tasks that the application had after its start. Spring makes it, by {@code
 * META-INF/spring.factories}.
 */
final class VirtualTimeListener extends AbstractTestExecutionListener {
    /** After the injection, which starts the application. Before transactions, so that this is done after their end. */
    private static final int ORDER = 3500;

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public void prepareTestInstance(TestContext test) {
        if (isInVirtualTime(test)) {
            test.getApplicationContext().getBean(StartMark.class).setOnce();
        }
    }

    @Override
    public void afterTestMethod(TestContext test) {
        if (isInVirtualTime(test) && test.hasApplicationContext()) {
            TestScheduler scheduler = test.getApplicationContext().getBean(TestScheduler.class);
            // A test may have stopped the node.
            if (scheduler.isRunning()) {
                scheduler.reset();
            }
        }
    }

    private static boolean isInVirtualTime(TestContext test) {
        return TestContextAnnotationUtils.hasAnnotation(test.getTestClass(), VirtualTime.class);
    }
}
