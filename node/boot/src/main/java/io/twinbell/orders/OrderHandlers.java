package io.twinbell.orders;

import io.twinbell.client.HandlerKey;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.handler.TaskContext;
import io.twinbell.spring.Recurring;
import io.twinbell.spring.TwinbellHandler;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Handlers, and the code that enqueues for them. */
@Component
public class OrderHandlers {
    static final HandlerKey<Order> CLOSE = HandlerKey.of("orders.close", Order.class);
    static final HandlerKey<Order> BOOK = HandlerKey.of("orders.book", Order.class);
    static final HandlerKey<Order> SLOW = HandlerKey.of("orders.slow", Order.class);

    private final OrderLog log;
    private final JdbcTemplate sql;
    private final JdbcTaskClient tasks;

    /** A payload. */
    record Order(long number) {}

    OrderHandlers(OrderLog log, JdbcTemplate sql, JdbcTaskClient tasks) {
        this.log = log;
        this.sql = sql;
        this.tasks = tasks;
    }

    @Transactional
    public void order(String name, Order order, boolean fails) {
        tasks.schedule(CLOSE, order).named(name);
        if (fails) {
            throw new IllegalStateException("out of stock");
        }
    }

    @TwinbellHandler("orders.close")
    void close(Order order, TaskContext context) {
        log.runs.add(context.name() + " " + order.number());
    }

    /** The number is unique, so a second effect would fail. */
    @Transactional
    @TwinbellHandler(value = "orders.book", exactlyOnce = true)
    public void book(Order order) {
        sql.update("insert into public.customer values (?)", order.number());
    }

    @TwinbellHandler("orders.slow")
    void slow(Order order) throws InterruptedException {
        log.slowHasStarted.countDown();
        log.slowMayEnd.await();
        sql.queryForObject("select 1", Integer.class);
        Orders.say("drained slow");
    }

    @Recurring(name = "poll", every = "100ms")
    void poll() {
        log.runs.add("poll");
    }
}
