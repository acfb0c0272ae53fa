package io.twinbell.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method of a bean the handler of tasks with this key. The method may have a parameter for the payload, of any
 * type that Jackson reads, and one of type {@link io.twinbell.handler.TaskContext}. Its result is kept as the
 * execution's output.
 *
 * <pre>{@code
 * @TwinbellHandler("invoice.close")
 * void close(Invoice invoice, TaskContext context) { … }
 * }</pre>
 *
 * <p>If the application has a bean of type {@code HandlerKey} with the same key, its type and upgrades are used.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface TwinbellHandler {
    /** The key, 1 to 200 characters. Placeholders such as {@code ${shop.key}} are resolved. */
    String value();

    /**
     * Whether the method runs in the database transaction that completes its execution, so that it takes effect exactly
     * once. What it writes through the application's {@code DataSource} (by {@code JdbcClient}, {@code JdbcTemplate}, JPA
     * with Hibernate, or {@code @Transactional} methods) is part of that transaction. It has the rights of the node's
     * database role. The entity manager is flushed after the method has returned; if that fails, the run fails. Callbacks
     * after the commit are called after it. If the node dies during a run, the transaction is rolled back. So tasks that
     * this application stores for the handler run again then, unless they say otherwise.
     *
     * <p>The application does not start if its transactions cannot be joined, such as those of JTA or of another JPA
     * provider.
     */
    boolean exactlyOnce() default false;

    /**
     * Whether a run whose node died begins again, although it may have taken effect already. The second run has the same
     * idempotency key. This is the {@code orphan} of tasks that this application stores for the handler, unless they say
     * otherwise. With {@link #exactlyOnce} it is always so. Otherwise the execution is dropped.
     */
    boolean rerunOrphans() default false;

    /**
     * The retry of tasks that this application stores for the handler, and that have none of their own. Default:
     * {@code twinbell.retry.*}. Tasks of other programs have the retry that those say, or that of the app's defaults.
     */
    RetryAttempts retry() default @RetryAttempts(0);
}
