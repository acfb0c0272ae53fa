package io.twinbell.spring;

import io.opentelemetry.api.OpenTelemetry;
import io.twinbell.ConfigurationException;
import io.twinbell.StartException;
import io.twinbell.Twinbell;
import io.twinbell.handler.InterceptorScope;
import io.twinbell.handler.TaskInterceptor;
import io.twinbell.handler.TransactionalHandler;
import io.twinbell.spring.transaction.JoinedTransactions;
import java.util.List;
import java.util.function.Supplier;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Makes the beans of the node. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "twinbell.mode", havingValue = "node", matchIfMissing = true)
@ConditionalOnClass(Twinbell.class)
class NodeConfiguration {
    @Bean
    DeclaredHandlers twinbellHandlers(
            ConfigurableListableBeanFactory beans,
            NodeSettings settings,
            @TwinbellDataSource ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> all,
            HandlerPolicies policies) {
        DataSource dataSource = TwinbellAutoConfiguration.chosen(marked, all);
        return new DeclaredHandlers(beans, settings.app(), new JoinedTransactions(dataSource, beans), policies);
    }

    @Bean
    RecurringUpkeep twinbellRecurring(NodeSettings settings, DeclaredHandlers handlers, TwinbellProperties properties) {
        return new RecurringUpkeep(settings.app(), handlers.recurring(), properties.recurring());
    }

    @Bean
    @ConditionalOnMissingBean
    NodeStarter twinbellStarter(NodeSettings settings) {
        return (application, dataSource) -> {
            Twinbell.Builder builder = Twinbell.builder();
            settings.keys(dataSource).forEach((key, value) -> builder.set(key, value, settings.source(key)));
            application.accept(builder);
            try {
                return builder.start();
            } catch (StartException e) {
                throw new StartRefusedException(
                        "The node cannot start: " + e.getMessage(),
                        "Change what the message names. Ports are set by twinbell.http.port and twinbell.jmx.port.",
                        e);
            } catch (ConfigurationException e) {
                throw new StartRefusedException(
                        "The node refuses its configuration: " + e.getMessage(),
                        "Correct the properties twinbell.* or twinbell.config.* that set it.",
                        e);
            }
        };
    }

    @Bean
    NodeStart twinbellStart(
            NodeSettings settings,
            TwinbellProperties properties,
            DeclaredHandlers handlers,
            @TwinbellDataSource ObjectProvider<DataSource> marked,
            ObjectProvider<DataSource> all,
            NodeParts parts,
            NodeStarter starter) {
        return () -> starter.start(
                builder -> {
                    builder.app(settings.app());
                    VirtualThreads threads =
                            properties.virtualThreads() && !starter.isInVirtualTime() ? new VirtualThreads() : null;
                    handlers.byKey()
                            .forEach((key, code) -> builder.handler(
                                    key,
                                    threads == null || code instanceof TransactionalHandler
                                            ? code
                                            : threads.around(code)));
                    parts.addTo(builder);
                },
                TwinbellAutoConfiguration.chosen(marked, all));
    }

    @Bean
    FailedAttemptLog twinbellFailedAttempts() {
        return new FailedAttemptLog();
    }

    @Bean
    NodeParts twinbellParts(
            FailedAttemptLog failedAttempts,
            ObjectProvider<TaskInterceptor> interceptors,
            ObjectProvider<OpenTelemetry> telemetry,
            ObjectProvider<MBeanServer> beanServer,
            ObjectProvider<TwinbellCustomizer> customizers) {
        return builder -> {
            // The first one also sees attempts that fail because another interceptor throws.
            builder.intercept(InterceptorScope.handler("java"), failedAttempts.interceptor());
            interceptors.orderedStream().forEach(builder::intercept);
            telemetry.ifUnique(builder::openTelemetry);
            // Without a server of the application's own, the MBeans of two contexts in one JVM must not clash.
            builder.beanServer(beanServer.getIfUnique(MBeanServerFactory::newMBeanServer));
            customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        };
    }

    @Bean
    TwinbellNode twinbellNode(
            NodeStart start, NodeStarter starter, TwinbellProperties properties, RecurringUpkeep recurring) {
        return new TwinbellNode(
                start,
                new TwinbellNode.Joining(properties.joinTimeout(), properties.joinRequired()),
                List.of(starter.isInVirtualTime() ? recurring::storeAll : recurring::start),
                List.of(recurring::stop));
    }

    /** Starts a node. */
    @FunctionalInterface
    interface NodeStart extends Supplier<Twinbell> {}

    /** Adds the contributions of other beans to the node. */
    @FunctionalInterface
    interface NodeParts {
        void addTo(Twinbell.Builder builder);
    }
}
