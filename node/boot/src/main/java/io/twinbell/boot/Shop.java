package io.twinbell.boot;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.client.RestClient;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * An ordinary web application with migrations of its own. It prints what Spring has configured by what is on the class
 * path, and runs a task if it embeds a node.
 */
@SpringBootApplication
public class Shop {
    private static final String NODE = "io.twinbell.Twinbell";

    /** @param args options for Spring, such as {@code --spring.datasource.url=…} */
    public static void main(String[] args) throws Exception {
        try (ConfigurableApplicationContext context = SpringApplication.run(Shop.class, args)) {
            describe(context);
            if (isPresent(NODE)) {
                EmbeddedNode.run(context);
            }
        }
        say("closed");
    }

    private static void describe(ConfigurableApplicationContext context) throws ReflectiveOperationException {
        Object server = context.getClass().getMethod("getWebServer").invoke(context);
        say("web server " + server.getClass().getSimpleName());
        say("data source " + context.getBean(DataSource.class).getClass().getName());
        RequestMappingHandlerAdapter web = context.getBean(RequestMappingHandlerAdapter.class);
        say("converters "
                + web.getMessageConverters().stream()
                        .map(converter -> converter.getClass().getSimpleName())
                        .toList());
        Field client = RestClient.create().getClass().getDeclaredField("clientRequestFactory");
        client.setAccessible(true);
        say("client " + client.get(RestClient.create()).getClass().getSimpleName());
        Set<String> beans = new TreeSet<>(List.of(context.getBeanDefinitionNames()));
        say("beans " + beans);
        JdbcTemplate database = context.getBean(JdbcTemplate.class);
        say("migrations "
                + database.queryForList(
                        """
                        select version || ' ' || script from public.flyway_schema_history where type = 'SQL'
                        order by installed_rank""",
                        String.class));
        say("tables "
                + database.queryForList(
                        """
                        select relnamespace::regnamespace || '.' || relname from pg_class
                        where relname in ('customer', 'invoice') order by relname""",
                        String.class));
    }

    static void say(String line) {
        System.out.println("SHOP " + line);
    }

    private static boolean isPresent(String type) {
        try {
            Class.forName(type);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
