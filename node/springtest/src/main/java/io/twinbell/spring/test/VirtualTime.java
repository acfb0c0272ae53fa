package io.twinbell.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs the node of a Spring Boot test in virtual time, with tables in memory: without PostgreSQL, ZooKeeper and waiting. The
 * handlers, recurring tasks, interceptors and properties are those of the application. After each test method the scheduler
 * begins again, with the tasks that it had after the start of the application.
 *
 * <pre>{@code
 * @SpringBootTest
 * @VirtualTime("2026-03-01T00:00:00Z")
 * class OrdersTest {
 *     @Autowired
 *     Orders orders;
 *
 *     @Autowired
 *     TestScheduler scheduler;
 *
 *     @Test
 *     void an_order_is_closed_after_two_days() {
 *         orders.place(4711);
 *         scheduler.clock().advance(Duration.ofDays(2));
 *         scheduler.assertThat("shop", "order-4711").firedTimes(1).succeeded();
 *     }
 * }
 * }</pre>
 *
 * <p>The application gets beans of the types {@code TestScheduler} and {@code TestClock}, its {@code JdbcTaskClient} stores
 * tasks in memory, and the primary {@code java.time.Clock} shows the virtual time.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface VirtualTime {
    /** When virtual time begins, at the start of the application and of each test: an instant with a zone offset of Z. */
    String value() default "2026-01-01T00:00:00Z";
}
