/**
 * Tests of Spring Boot applications in virtual time: {@link io.twinbell.spring.test.VirtualTime} on a test class replaces the
 * node of its application by one of the test kit.
 */
package io.twinbell.spring.test;
