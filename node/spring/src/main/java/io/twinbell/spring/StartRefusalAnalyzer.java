package io.twinbell.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Lets Spring Boot report what is wrong and what to do, without a stack trace. */
final class StartRefusalAnalyzer extends AbstractFailureAnalyzer<StartRefusedException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartRefusedException refusal) {
        return new FailureAnalysis(refusal.description(), refusal.action(), refusal);
    }
}
