package io.twinbell.spring;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Refuses properties {@code twinbell.*} that do not exist, because a mistyped one would be without effect. Spring Boot's
 * own check ({@code ignoreUnknownFields}) also refuses empty values, which count as not set.
 */
final class UnknownProperties {
    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("twinbell");

    /** Variables and system properties that begin with the same word may belong to other programs. */
    private static final Set<String> NOT_CHECKED = Set.of(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);

    private UnknownProperties() {}

    /** @throws org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException naming it */
    static void refuse(Environment environment) {
        if (!(environment instanceof ConfigurableEnvironment configurable)) {
            return;
        }
        for (ConfigurationPropertySource source :
                ConfigurationPropertySources.from(configurable.getPropertySources())) {
            boolean isChecked = !(source.getUnderlyingSource() instanceof PropertySource<?> underlying
                    && NOT_CHECKED.contains(underlying.getName()));
            if (isChecked && source instanceof IterableConfigurationPropertySource names) {
                names.stream().filter(PREFIX::isAncestorOf).forEach(name -> check(name, source));
            }
        }
    }

    private static void check(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        Class<?> type = TwinbellProperties.class;
        for (int i = PREFIX.getNumberOfElements(); i < name.getNumberOfElements(); i++) {
            Class<?> group = type;
            type = componentType(group, name.getElement(i, Form.UNIFORM));
            if (type == Map.class || type == List.class) {
                return;
            }
            if (type == null || i < name.getNumberOfElements() - 1 && !type.isRecord()) {
                throw InvalidProperty.of(
                        name.subName(PREFIX.getNumberOfElements()).toString(),
                        source.getConfigurationProperty(name).getValue(),
                        "there is no such property; " + name.chop(i) + " has " + names(group));
            }
        }
    }

    /** Returns null if the record has no such component. */
    private static Class<?> componentType(Class<?> type, String element) {
        return Arrays.stream(type.getRecordComponents())
                .filter(component ->
                        component.getName().toLowerCase(Locale.ROOT).equals(element))
                .findFirst()
                .map(RecordComponent::getType)
                .orElse(null);
    }

    private static String names(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(component ->
                        component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
    }
}
