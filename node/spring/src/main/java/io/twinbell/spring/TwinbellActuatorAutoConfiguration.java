package io.twinbell.spring;

import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Shows the node in Actuator's health, info and metrics, and by an endpoint of its own. */
@AutoConfiguration(after = TwinbellAutoConfiguration.class)
@ConditionalOnBean(TwinbellNode.class)
public class TwinbellActuatorAutoConfiguration {
    @Bean
    NodeReport twinbellReport(TwinbellNode node, DeclaredHandlers handlers, RecurringUpkeep recurring) {
        return new NodeReport(node, handlers, recurring);
    }

    /** Spring Boot 3.5. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.actuate.health.HealthIndicator.class)
    static class Boot3Health {
        @Bean
        @ConditionalOnEnabledHealthIndicator("twinbell")
        @ConditionalOnMissingBean(name = "twinbellHealthIndicator")
        org.springframework.boot.actuate.health.HealthIndicator twinbellHealthIndicator(NodeReport report) {
            return () -> (report.isReady()
                            ? org.springframework.boot.actuate.health.Health.up()
                            : org.springframework.boot.actuate.health.Health.down())
                    .withDetails(report.health())
                    .build();
        }
    }

    /** Spring Boot 4, where the same types are in another package. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.health.contributor.HealthIndicator.class)
    static class Boot4Health {
        @Bean
        @org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator("twinbell")
        @ConditionalOnMissingBean(name = "twinbellHealthIndicator")
        org.springframework.boot.health.contributor.HealthIndicator twinbellHealthIndicator(NodeReport report) {
            return () -> (report.isReady()
                            ? org.springframework.boot.health.contributor.Health.up()
                            : org.springframework.boot.health.contributor.Health.down())
                    .withDetails(report.health())
                    .build();
        }
    }

    /** Twinbell's part of {@code /actuator/info}, and the endpoint. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, InfoContributor.class, ConditionalOnAvailableEndpoint.class})
    static class Pages {
        @Bean
        @ConditionalOnMissingBean(name = "twinbellInfoContributor")
        InfoContributor twinbellInfoContributor(NodeReport report) {
            return info -> info.withDetail("twinbell", report.identity());
        }

        @Bean
        @ConditionalOnAvailableEndpoint
        @ConditionalOnMissingBean
        TwinbellEndpoint twinbellEndpoint(NodeReport report) {
            return new TwinbellEndpoint(report);
        }
    }

    /** The meters. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    static class Meters {
        @Bean
        @ConditionalOnMissingBean
        NodeMeters twinbellMeters(TwinbellNode node) {
            return new NodeMeters(node);
        }
    }
}
