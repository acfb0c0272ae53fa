package io.twinbell.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares a recurring task that runs this method of a bean, on whichever node is master. The method has no parameter, or
 * one of type {@link io.twinbell.handler.TaskContext}; with {@link #exactlyOnce}, it may also be a
 * {@link io.twinbell.handler.TransactionContext}.
 *
 * <pre>{@code
 * @Recurring(name = "close-day", cron = "30 2 * * *", zone = "Europe/Berlin")
 * void closeDay() { … }
 * }</pre>
 *
 * <p>The task is stored when the node starts, and follows the code. If no running node declares it any more, it is
 * paused. All texts may contain placeholders such as {@code ${shop.cron}}.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Recurring {
    /** The task's name in the application's app. Default: the simple name of the class, a dot, and the method's name. */
    String name() default "";

    /** A cron expression. Exactly one of this and {@link #every} is needed; {@code "-"} declares no task. */
    String cron() default "";

    /** An interval, as {@code PT5M} or {@code 5m}; {@code "-"} declares no task. */
    String every() default "";

    /** The time zone of {@link #cron}. Default: UTC, whatever the JVM's zone is, or the default of the app. */
    String zone() default "";

    /** The longest time of an attempt, as {@code PT5M} or {@code 5m}. Default: none, or the default of the app. */
    String timeout() default "";

    /** How often a slot is tried again. Default: {@code twinbell.retry.*}. */
    RetryAttempts retry() default @RetryAttempts(0);

    /**
     * Whether the method runs in the database transaction that completes its execution, as with
     * {@link TwinbellHandler#exactlyOnce}. If the node dies during a run, the transaction is rolled back, and the slot runs
     * again. An {@code orphan} in {@link #task} overrides that.
     */
    boolean exactlyOnce() default false;

    /**
     * Whether a run whose node died begins again, although it may have taken effect already. The second run has the same
     * idempotency key. An {@code orphan} in {@link #task} overrides that. With {@link #exactlyOnce} it is always so.
     * Otherwise the execution is dropped, unless the defaults of the app say otherwise.
     */
    boolean rerunOrphans() default false;

    /** Further members of the task as a JSON object, for example {@code {"overlap":"QUEUE","priority":1}}. */
    String task() default "";
}
