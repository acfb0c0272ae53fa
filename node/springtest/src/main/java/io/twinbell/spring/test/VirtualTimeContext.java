package io.twinbell.spring.test;

import java.time.Instant;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/** Adds the beans of virtual time to the context of a test. Test classes with the same start may share a context. */
final class VirtualTimeContext implements ContextCustomizer {
    private final Instant start;
    private final Class<?> testClass;

    VirtualTimeContext(Instant start, Class<?> testClass) {
        this.start = start;
        this.testClass = testClass;
    }

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        context.getBeanFactory()
                .registerSingleton("twinbellVirtualStart", new VirtualStart(start, testClass.getName()));
        ((BeanDefinitionRegistry) context.getBeanFactory())
                .registerBeanDefinition("twinbellVirtualTime", new RootBeanDefinition(VirtualTimeConfiguration.class));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VirtualTimeContext context && context.start.equals(start);
    }

    @Override
    public int hashCode() {
        return start.hashCode();
    }
}
