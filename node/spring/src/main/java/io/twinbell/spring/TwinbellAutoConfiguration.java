package io.twinbell.spring;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.twinbell.client.HttpTaskClient;
import io.twinbell.client.JdbcTaskClient;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/** Makes the beans of the client and of the node. */
@AutoConfiguration(
        afterName = {
            // Spring Boot 3.5
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.opentelemetry.OpenTelemetryAutoConfiguration",
            // Spring Boot 4
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
            "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration"
        })
@ConditionalOnProperty(name = "twinbell.enabled", matchIfMissing = true)
@EnableConfigurationProperties(TwinbellProperties.class)
@Import({NodeConfiguration.class, TwinbellAutoConfiguration.NodeJarIsMissing.class})
public class TwinbellAutoConfiguration {
    private static final boolean HAS_TRACES =
            ClassUtils.isPresent("io.opentelemetry.api.trace.Span", TwinbellAutoConfiguration.class.getClassLoader());

    @Bean
    NodeSettings twinbellSettings(TwinbellProperties properties, Environment environment) {
        UnknownProperties.refuse(environment);
        return new NodeSettings(properties, environment);
    }

    @Bean
    HandlerPolicies twinbellHandlerPolicies(TwinbellProperties properties) {
        return new HandlerPolicies(properties.retry());
    }

    /** Enqueues in the transaction of the calling {@code @Transactional} method. */
    @Bean
    @Conditional(ClientFunctions.class)
    @ConditionalOnMissingBean
    JdbcTaskClient twinbellTaskClient(
            NodeSettings settings,
            ObjectProvider<JdbcTaskClient.TaskFunctions> functions,
            @TwinbellDataSource ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> all,
            HandlerPolicies policies) {
        JdbcTaskClient.TaskFunctions own = functions.getIfAvailable();
        JdbcTaskClient client = own == null
                ? JdbcTaskClient.of(new TransactionConnections(chosen(marked, all)), settings.app())
                        .inSchema(settings.schema())
                : JdbcTaskClient.calling(own, settings.app());
        return client.tracedBy(TwinbellAutoConfiguration::traceparent)
                .retrying(policies::retry)
                .orphans(policies::orphan);
    }

    /** Talks to the nodes over HTTP, and also queries tasks and waits for outcomes. */
    @Bean
    @Conditional(ClientUrls.class)
    @ConditionalOnMissingBean
    HttpTaskClient twinbellHttpClient(NodeSettings settings, TwinbellProperties properties, HandlerPolicies policies) {
        TwinbellProperties.Client client = properties.client();
        HttpTaskClient.Builder builder = HttpTaskClient.builder(settings.app())
                .timeout(client.timeout())
                .traceparent(TwinbellAutoConfiguration::traceparent)
                .retrying(policies::retry)
                .orphans(policies::orphan);
        client.urls().forEach(builder::node);
        if (client.token() != null) {
            builder.token(client.token());
        }
        if (client.ca() != null) {
            builder.ca(client.ca());
        }
        return builder.build();
    }

    /** Without the node's jar only a client is possible, which the application must ask for. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "twinbell.mode", havingValue = "node", matchIfMissing = true)
    @ConditionalOnMissingClass("io.twinbell.Twinbell")
    static class NodeJarIsMissing {
        NodeJarIsMissing(TwinbellProperties properties) {
            throw InvalidProperty.of(
                    "mode",
                    properties.mode(),
                    "a node needs io.twinbell:twinbell-embedded, which the build excludes: include it, or set"
                            + " twinbell.mode=client");
        }
    }

    /** A list may be one property with commas, or one property for each entry. */
    static final class ClientUrls implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return Binder.get(context.getEnvironment())
                    .bind("twinbell.client.urls", Bindable.listOf(String.class))
                    .isBound();
        }
    }

    /**
     * Matches if it is clear which {@code DataSource} leads to the schema: the only one, the primary or the marked one. Also
     * if functions take the place of those of the schema, as in virtual time.
     */
    static final class ClientFunctions extends AnyNestedCondition {
        ClientFunctions() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnBean(JdbcTaskClient.TaskFunctions.class)
        static final class InMemory {}

        @ConditionalOnSingleCandidate(DataSource.class)
        static final class OnlyOne {}

        @ConditionalOnBean(value = DataSource.class, annotation = TwinbellDataSource.class)
        static final class Marked {}
    }

    /** Returns null if there is none, or if it is not clear which one is meant. */
    static DataSource chosen(ObjectProvider<DataSource> marked, ObjectProvider<DataSource> all) {
        DataSource own = marked.getIfUnique();
        return own == null ? all.getIfUnique() : own;
    }

    /** The header of the current span; null outside a trace, and without OpenTelemetry. */
    private static String traceparent() {
        return HAS_TRACES ? CurrentSpan.traceparent() : null;
    }

    /** A class of its own, because a client's application may have no OpenTelemetry. */
    private static final class CurrentSpan {
        static String traceparent() {
            SpanContext span = Span.current().getSpanContext();
            return span.isValid()
                    ? "00-" + span.getTraceId() + "-" + span.getSpanId() + "-"
                            + span.getTraceFlags().asHex()
                    : null;
        }
    }
}
