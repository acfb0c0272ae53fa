package io.twinbell.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * How often a slot is tried again, as a part of {@link TwinbellHandler} or {@link Recurring}. Members that are not given
 * have the values of {@code twinbell.retry.*}, or else those of the API.
 */
@Documented
@Target({})
@Retention(RetentionPolicy.RUNTIME)
public @interface RetryAttempts {
    /** The number of attempts, with the first one: 1 to 1000. 0 takes {@code twinbell.retry.*} as it is. */
    int value();

    /** The delay before the second attempt, as {@code PT10S} or {@code 10s}. Placeholders are resolved. */
    String backoff() default "";

    /** The factor for each further delay, 1 to 100. 0: not given. */
    double multiplier() default 0;

    /** The longest delay, as {@code PT1H} or {@code 1h}. Placeholders are resolved. */
    String maxBackoff() default "";

    /** The share by which a delay varies at random, 0 to 1. -1: not given. */
    double jitter() default -1;
}
