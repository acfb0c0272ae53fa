/**
 * Tests of applications that schedule tasks: the engine of a real node runs in virtual time, and months of fires take
 * milliseconds. Begin with {@link io.twinbell.test.TestScheduler}; in JUnit 5 with
 * {@link io.twinbell.test.TwinbellExtension}.
 */
package io.twinbell.test;
