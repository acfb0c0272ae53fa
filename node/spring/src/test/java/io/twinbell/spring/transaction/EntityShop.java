package io.twinbell.spring.transaction;

import io.twinbell.client.HandlerKey;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.handler.TransactionContext;
import io.twinbell.spring.TwinbellAutoConfiguration;
import io.twinbell.spring.TwinbellHandler;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Version;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.hibernate.Session;
import org.hibernate.engine.spi.SessionImplementor;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.domain.EntityScan;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.JdbcTemplateAutoConfiguration;
import org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration;
import org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** An application with JPA, whose handlers write entities exactly once. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    TwinbellAutoConfiguration.class,
    DataSourceAutoConfiguration.class,
    JdbcTemplateAutoConfiguration.class,
    HibernateJpaAutoConfiguration.class,
    TransactionAutoConfiguration.class
})
@EntityScan(basePackageClasses = EntityShop.class)
@EnableJpaRepositories(basePackageClasses = EntityShop.class, considerNestedRepositories = true)
public class EntityShop {
    static final HandlerKey<Wanted> WRITE = HandlerKey.of("bill.write", Wanted.class);
    static final HandlerKey<Wanted> SEND = HandlerKey.of("bill.send", Wanted.class);

    /** What happened beside the database. */
    static final BlockingQueue<String> EVENTS = new LinkedBlockingQueue<>();

    /**
     * A payload.
     *
     * @param deed what the handler does with the bill of this number
     */
    record Wanted(String deed, long number) {}

    /** An event that the handler publishes. */
    record Written(long number) {}

    /** An entity with a version. */
    @Entity(name = "Bill")
    public static class Bill {
        @Id
        private long number;

        @Version
        private int version;

        @Column(nullable = false, unique = true)
        private String title;

        @OneToMany(cascade = CascadeType.ALL)
        @JoinColumn(name = "bill")
        private List<Position> positions = new ArrayList<>();

        protected Bill() {}

        Bill(long number, String title) {
            this.number = number;
            this.title = title;
        }

        void add(Position position) {
            positions.add(position);
        }

        void rename(String other) {
            title = other;
        }

        /** Reads what is loaded lazily. */
        @Override
        public String toString() {
            return title + " with " + positions.size() + " positions";
        }
    }

    /** A part of a bill. */
    @Entity(name = "Position")
    public static class Position {
        @Id
        private long number;

        protected Position() {}

        Position(long number) {
            this.number = number;
        }
    }

    /** The entities. */
    public interface BillRepository extends JpaRepository<Bill, Long> {}

    @Bean
    BillService billService(BillRepository bills, JdbcTemplate sql, ApplicationEventPublisher events) {
        return new BillService(bills, sql, events);
    }

    @Bean
    BillHandlers billHandlers(
            BillService service, BillRepository bills, EntityManager entities, JdbcTemplate sql, JdbcTaskClient tasks) {
        return new BillHandlers(service, bills, entities, sql, tasks);
    }

    @Bean
    BillEvents billEvents(BillRepository bills, JdbcTaskClient tasks) {
        return new BillEvents(bills, tasks);
    }

    /** Methods with transactions. */
    public static class BillService {
        private final BillRepository bills;
        private final JdbcTemplate sql;
        private final ApplicationEventPublisher events;

        BillService(BillRepository bills, JdbcTemplate sql, ApplicationEventPublisher events) {
            this.bills = bills;
            this.sql = sql;
            this.events = events;
        }

        @Transactional
        public void take(long number, boolean fails) {
            bills.save(new Bill(number, "taken " + number));
            sql.update("insert into receipt values (?)", number);
            events.publishEvent(new Written(number));
            if (fails) {
                throw new IllegalArgumentException("out of paper");
            }
        }

        @Transactional(readOnly = true)
        public String read(long number) {
            return bills.findById(number).map(Bill::toString).orElse("none");
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void takeSeparately(long number) {
            bills.save(new Bill(number, "separate " + number));
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void renameSeparately(long number, String title) {
            bills.findById(number).orElseThrow().rename(title);
        }
    }

    /** Handlers. */
    public static class BillHandlers {
        private final BillService service;
        private final BillRepository bills;
        private final EntityManager entities;
        private final JdbcTemplate sql;
        private final JdbcTaskClient tasks;

        BillHandlers(
                BillService service,
                BillRepository bills,
                EntityManager entities,
                JdbcTemplate sql,
                JdbcTaskClient tasks) {
            this.service = service;
            this.bills = bills;
            this.entities = entities;
            this.sql = sql;
            this.tasks = tasks;
        }

        /** Writes with each means, reads what is not flushed yet, and returns an entity. */
        @TwinbellHandler(value = "bill.write", exactlyOnce = true)
        public Object write(Wanted wanted, TransactionContext context) throws Exception {
            long number = wanted.number();
            bills.save(new Bill(number, "bill " + number));
            Bill second = new Bill(number + 1, "second " + number);
            second.add(new Position(number));
            entities.persist(second);
            service.take(number + 2, false);
            sql.update("insert into receipt values (?)", number);
            tasks.schedule(SEND, wanted).named("after-" + context.name());
            entities.unwrap(SessionImplementor.class)
                    .getTransaction()
                    .registerSynchronization(new Ended(context.name()));
            deed(wanted.deed(), number, context);
            return second;
        }

        private void deed(String deed, long number, TransactionContext context) throws Exception {
            switch (deed) {
                case "nothing" -> {}
                case "read" -> {
                    EVENTS.add("count " + bills.count());
                    EVENTS.add("read " + service.read(number + 1));
                    EVENTS.add("path " + sql.queryForObject("select current_setting('search_path')", String.class));
                }
                case "throw after a flush" -> {
                    entities.flush();
                    throw new IllegalStateException("no bank answers");
                }
                case "break a constraint" -> bills.save(new Bill(number + 3, "bill " + number));
                case "swallow" -> {
                    try {
                        service.take(number + 3, true);
                    } catch (IllegalArgumentException e) {
                        EVENTS.add("swallowed " + number);
                    }
                }
                case "separate" -> {
                    service.takeSeparately(number + 3);
                    // The transaction of the execution is the current one again.
                    service.take(number + 4, false);
                    throw new IllegalStateException("no bank answers");
                }
                case "overtaken" -> {
                    service.takeSeparately(number + 3);
                    Bill read = bills.findById(number + 3).orElseThrow();
                    service.renameSeparately(number + 3, "overtaken " + number);
                    read.rename("late " + number);
                }
                case "commit by itself" -> entities.unwrap(Session.class).doWork(connection -> connection.commit());
                case "commit the execution" -> context.commit("early");
                default -> EntityHandlersTest.during(deed, context);
            }
        }

        @TwinbellHandler("bill.send")
        void send(Wanted wanted) {
            EVENTS.add("sent " + wanted.number());
        }
    }

    /** Tells what Hibernate believes of the end of a transaction. */
    private record Ended(String task) implements Synchronization {
        @Override
        public void beforeCompletion() {
            EVENTS.add("completing " + task);
        }

        @Override
        public void afterCompletion(int status) {
            EVENTS.add((status == Status.STATUS_COMMITTED ? "committed " : "not committed ") + task);
        }
    }

    /** Listeners of the end of transactions. */
    public static class BillEvents {
        private final BillRepository bills;
        private final JdbcTaskClient tasks;

        BillEvents(BillRepository bills, JdbcTaskClient tasks) {
            this.bills = bills;
            this.tasks = tasks;
        }

        /** It reads in a transaction of its own, and what it writes is committed by itself. */
        @TransactionalEventListener
        public void written(Written event) {
            EVENTS.add("after commit " + event.number() + " " + bills.existsById(event.number()));
            tasks.schedule(SEND, new Wanted("", -event.number())).named("event-" + event.number());
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        public void lost(Written event) {
            EVENTS.add("after rollback " + event.number());
        }
    }
}
