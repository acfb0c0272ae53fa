package io.twinbell.spring;

import io.twinbell.client.HttpTaskClient;
import io.twinbell.client.JdbcTaskClient;
import java.lang.reflect.Proxy;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A program whose class path has the starter and the client, without a node. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({TwinbellAutoConfiguration.class, TwinbellActuatorAutoConfiguration.class})
public class ClientApplication {
    /** @param args arguments of Spring Boot, such as --twinbell.mode=client */
    public static void main(String[] args) {
        try (ConfigurableApplicationContext context = new SpringApplication(ClientApplication.class).run(args)) {
            System.out.println(
                    "jdbc client " + context.getBean(JdbcTaskClient.class).app());
            System.out.println(
                    "http client " + context.getBean(HttpTaskClient.class).app());
            System.out.println("beans of a node " + context.getBeanNamesForType(TwinbellNode.class).length);
        }
    }

    /** Nothing connects. */
    @Bean
    DataSource database() {
        return (DataSource) Proxy.newProxyInstance(
                ClientApplication.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, values) -> switch (method.getName()) {
                    case "hashCode" -> 1;
                    case "equals" -> proxy == values[0];
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }
}
