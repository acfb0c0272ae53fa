package io.twinbell.spring.test;

import java.time.Instant;

/**
 * When virtual time begins.
 *
 * @param testClass the class that asked for it first, for messages
 */
record VirtualStart(Instant instant, String testClass) {}
