package io.twinbell.orders;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Runs an application with the starter, uses it, and prints what it sees. */
@SpringBootApplication
public class Orders {
    /** @param args options for Spring, such as {@code --spring.datasource.url=…} */
    public static void main(String[] args) throws Exception {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Orders.class)
                .properties(
                        "spring.application.name=orders",
                        "twinbell.zookeeper.connect=${shop.zookeeper}",
                        "management.endpoints.web.exposure.include=health,info,prometheus,twinbell",
                        "management.endpoint.health.show-details=always")
                .run(args)) {
            OrderSession session = new OrderSession(context);
            session.enqueue();
            session.monitor();
            session.close();
        }
        say("closed");
    }

    static void say(String line) {
        System.out.println("SHOP " + line);
    }
}
