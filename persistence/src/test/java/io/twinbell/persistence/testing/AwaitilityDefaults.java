package io.twinbell.persistence.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.Extension;

/** How tests await a state: they notice it soon, and a busy machine may take long. JUnit finds it as a service. */
public final class AwaitilityDefaults implements Extension {
    static {
        Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
        Awaitility.setDefaultTimeout(Duration.ofSeconds(30));
    }
}
