/**
 * Tests of applications that schedule tasks. In virtual time the engine of a real node runs months of fires in
 * milliseconds: begin with {@link io.twinbell.test.TestScheduler}. On real servers two nodes run in this JVM:
 * {@link io.twinbell.test.TestPair}. In JUnit 5, {@link io.twinbell.test.TwinbellExtension} starts either.
 */
package io.twinbell.test;
