package io.twinbell.spring.test;

import io.twinbell.client.HandlerKey;
import io.twinbell.client.IfTaskExists;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.client.TaskRefusedException;
import io.twinbell.handler.InterceptedRun;
import io.twinbell.handler.TaskContext;
import io.twinbell.handler.TaskInterceptor;
import io.twinbell.handler.TransactionContext;
import io.twinbell.spring.Recurring;
import io.twinbell.spring.RetryAttempts;
import io.twinbell.spring.TwinbellHandler;
import io.twinbell.spring.TwinbellNode;
import io.twinbell.test.TestClock;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** An application with orders in a database of its own. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = HibernateJpaAutoConfiguration.class)
class OrderShop {
    static final HandlerKey<Order> CLOSE = HandlerKey.of("order.close", Order.class);
    static final HandlerKey<Order> BOOK = HandlerKey.of("order.book", Order.class);
    static final HandlerKey<Order> FLAKY = HandlerKey.of("order.flaky", Order.class);
    static final HandlerKey<Order> IMPATIENT = HandlerKey.of("order.impatient", Order.class);

    /** A payload. */
    record Order(long number) {}

    /** The handlers' tries, which a test clears. */
    static final List<String> TRIES = new ArrayList<>();

    @Bean
    PlacedOrders orders(JdbcTemplate sql, JdbcTaskClient tasks, InstantSource time) {
        sql.execute("create table orders (number bigint primary key, closed_at timestamp with time zone)");
        return new PlacedOrders(sql, tasks, time);
    }

    @Bean
    OrderCode orderCode(PlacedOrders orders, JdbcTemplate sql, JdbcTaskClient tasks, TestClock clock) {
        return new OrderCode(orders, sql, tasks, clock);
    }

    /** The application's own, which virtual time must go before. */
    @Bean
    Clock wallClock() {
        return Clock.systemUTC();
    }

    @Bean
    TaskInterceptor counting() {
        return new TaskInterceptor() {
            @Override
            public Decision before(InterceptedRun run) {
                TRIES.add(run.name() + " " + run.attempt());
                return Decision.PROCEED;
            }
        };
    }

    /** Stores a task when the application is ready. */
    @Bean
    ApplicationRunner startUp(TwinbellNode node) {
        return arguments -> node.node()
                .tasks()
                .put(
                        "shop",
                        "warm-up",
                        "{\"schedule\":{\"every\":\"PT24H\"},\"handler\":{\"type\":\"log\",\"message\":\"on\"}}");
    }

    static class PlacedOrders {
        private final JdbcTemplate sql;
        private final JdbcTaskClient tasks;
        private final InstantSource time;

        PlacedOrders(JdbcTemplate sql, JdbcTaskClient tasks, InstantSource time) {
            this.sql = sql;
            this.tasks = tasks;
            this.time = time;
        }

        @Transactional
        public void place(long number, boolean fails) {
            sql.update("insert into orders values (?, null)", number);
            tasks.schedule(CLOSE, new Order(number)).in(Duration.ofHours(48)).named("order-" + number);
            if (fails) {
                throw new IllegalStateException("out of stock");
            }
        }

        @Transactional
        public void cancel(long number, boolean fails) {
            tasks.cancel("order-" + number);
            if (fails) {
                throw new IllegalStateException("too late");
            }
        }

        /** The second call is refused, and the exception is swallowed. */
        @Transactional
        public void placeTwice(long number) {
            place(number, false);
            try {
                tasks.schedule(CLOSE, new Order(number))
                        .ifExists(IfTaskExists.REFUSE)
                        .named("order-" + number);
            } catch (TaskRefusedException e) {
                TRIES.add("refused " + e.status());
            }
        }

        @Transactional(propagation = Propagation.NESTED)
        public void placeNested(long number, boolean fails) {
            place(number, fails);
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void placeSeparately(long number) {
            place(number, false);
        }

        void close(long number) {
            sql.update("update orders set closed_at = ? where number = ?", Timestamp.from(time.instant()), number);
        }

        /** Null if it is open. */
        Instant closedAt(long number) {
            Timestamp at = sql.queryForObject("select closed_at from orders where number = ?", Timestamp.class, number);
            return at == null ? null : at.toInstant();
        }

        int count(long number) {
            return sql.queryForObject("select count(*) from orders where number = ?", Integer.class, number);
        }
    }

    static class OrderCode {
        private final PlacedOrders orders;
        private final JdbcTemplate sql;
        private final JdbcTaskClient tasks;
        private final TestClock clock;

        OrderCode(PlacedOrders orders, JdbcTemplate sql, JdbcTaskClient tasks, TestClock clock) {
            this.orders = orders;
            this.sql = sql;
            this.tasks = tasks;
            this.clock = clock;
        }

        @Transactional
        @TwinbellHandler("order.close")
        public String close(Order order) {
            orders.close(order.number());
            return "closed " + order.number();
        }

        @TwinbellHandler(value = "order.book", exactlyOnce = true)
        public void book(Order order, TransactionContext context) {
            sql.update("insert into orders values (?, null)", order.number());
            tasks.schedule(CLOSE, order).in(Duration.ofHours(1)).named("after-" + context.name());
            orders.placeSeparately(order.number() * 1000 + context.attempt());
            if (order.number() < 0 && context.attempt() == 1) {
                throw new IllegalStateException("negative");
            }
        }

        @TwinbellHandler(
                value = "order.flaky",
                retry = @RetryAttempts(value = 3, backoff = "24h", maxBackoff = "48h", jitter = 0))
        void flaky(Order order, TaskContext context) {
            if (context.attempt() < 3) {
                throw new IllegalStateException("the bank does not answer");
            }
        }

        @TwinbellHandler("order.impatient")
        void impatient(Order order) {
            clock.advance(Duration.ofDays(1));
        }

        @Recurring(name = "close-day", cron = "30 2 * * *", zone = "Europe/Berlin")
        void closeDay() {}
    }
}
