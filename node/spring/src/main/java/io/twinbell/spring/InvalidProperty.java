package io.twinbell.spring;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Makes the exceptions that Spring Boot reports as "the application failed to start", with property and reason. */
final class InvalidProperty {
    private InvalidProperty() {}

    static InvalidConfigurationPropertyValueException of(String name, Object value, String reason) {
        return new InvalidConfigurationPropertyValueException("twinbell." + name, value, reason);
    }
}
