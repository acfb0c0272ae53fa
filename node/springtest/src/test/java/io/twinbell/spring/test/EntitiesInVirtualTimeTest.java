package io.twinbell.spring.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.twinbell.client.HandlerKey;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.handler.TransactionContext;
import io.twinbell.spring.Recurring;
import io.twinbell.spring.TwinbellHandler;
import io.twinbell.test.TestScheduler;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.domain.EntityScan;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** An application with JPA in virtual time: its exactly-once handlers use a transaction of its own database. */
@SpringBootTest(
        classes = EntitiesInVirtualTimeTest.ParcelApplication.class,
        properties = {
            "spring.application.name=shop",
            "spring.main.banner-mode=off",
            "spring.datasource.url=jdbc:h2:mem:parcels",
            "spring.jpa.hibernate.ddl-auto=create"
        })
@VirtualTime("2026-03-01T00:00:00Z")
class EntitiesInVirtualTimeTest {
    private static final HandlerKey<Long> PACK = HandlerKey.of("parcel.pack", Long.class);
    private static final HandlerKey<Long> SEND = HandlerKey.of("parcel.send", Long.class);

    @PersistenceContext
    private EntityManager entities;

    @Autowired
    private JdbcTaskClient tasks;

    @Autowired
    private TestScheduler scheduler;

    /** An entity. */
    @Entity(name = "Parcel")
    public static class Parcel {
        @Id
        private long number;

        @Column(length = 10)
        private String state;

        protected Parcel() {}

        Parcel(long number, String state) {
            this.number = number;
            this.state = state;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EntityScan(basePackageClasses = Parcel.class)
    static class ParcelApplication {
        @Bean
        Parcels parcels(JdbcTaskClient tasks) {
            return new Parcels(tasks);
        }
    }

    static class Parcels {
        @PersistenceContext
        private EntityManager entities;

        private final JdbcTaskClient tasks;

        Parcels(JdbcTaskClient tasks) {
            this.tasks = tasks;
        }

        /** The flush of a negative number fails after the method has returned. */
        @TwinbellHandler(value = "parcel.pack", exactlyOnce = true)
        public void pack(long number) {
            entities.persist(new Parcel(number, number < 0 ? "too long for the column" : "packed"));
            tasks.schedule(SEND, number).in(Duration.ofHours(1)).named("send-" + number);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    tasks.schedule(SEND, number).in(Duration.ofHours(2)).named("after-" + number);
                }
            });
        }

        @Recurring(name = "count", cron = "30 2 * * *", exactlyOnce = true)
        public void count(TransactionContext context) {
            entities.persist(new Parcel(230, "SUCCEEDED"));
        }

        @Recurring(name = "count-fails", cron = "31 2 * * *", exactlyOnce = true)
        public void countFails() {
            entities.persist(new Parcel(231, "FAILED"));
            entities.flush();
            tasks.schedule(SEND, 231L).in(Duration.ofHours(1)).named("send-231");
            throw new IllegalStateException("nobody is there");
        }

        @TwinbellHandler(value = "parcel.send", exactlyOnce = true)
        public void send(long number) {
            entities.find(Parcel.class, number).state = "sent";
        }
    }

    @Test
    void what_a_recurring_method_writes_is_committed_with_its_outcome_or_not_at_all() {
        scheduler.clock().advance(Duration.ofHours(3));
        scheduler.assertThat("shop", "count").fired("2026-03-01T02:30:00Z").succeeded();
        assertEquals("SUCCEEDED", entities.find(Parcel.class, 230L).state);
        scheduler.assertThat("shop", "count-fails").latest().failed().hasErrorContaining("nobody is there");
        assertNull(entities.find(Parcel.class, 231L));
        scheduler.assertThat("shop", "send-231").doesNotExist();
    }

    @Test
    void what_a_handler_writes_is_committed_with_what_it_enqueues_or_not_at_all() {
        tasks.schedule(PACK, 7L).named("pack-7");
        tasks.schedule(PACK, -8L).named("pack-8");
        scheduler.clock().advance(Duration.ofMinutes(30));
        scheduler.assertThat("shop", "pack-7").latest().succeeded();
        assertEquals("packed", entities.find(Parcel.class, 7L).state);
        scheduler.assertThat("shop", "send-7").exists();
        scheduler.assertThat("shop", "after-7").exists();
        scheduler.assertThat("shop", "pack-8").latest().failed().hasErrorContaining("DataIntegrityViolationException");
        assertNull(entities.find(Parcel.class, -8L));
        scheduler.assertThat("shop", "send--8").doesNotExist();
        scheduler.assertThat("shop", "after--8").doesNotExist();
        scheduler.clock().advance(Duration.ofHours(1));
        assertEquals("sent", entities.find(Parcel.class, 7L).state);
    }
}
