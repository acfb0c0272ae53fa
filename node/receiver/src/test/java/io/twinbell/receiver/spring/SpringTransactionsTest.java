package io.twinbell.receiver.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.receiver.ExactlyOnceReceiver;
import io.twinbell.receiver.ReceiverAnswer;
import io.twinbell.receiver.ReceiverDatabases;
import io.twinbell.receiver.TwinbellCall;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

/** Effects that Spring's own templates make, in the receiver's transaction. */
class SpringTransactionsTest {
    private static final TwinbellCall CALL = new TwinbellCall("k", 1, 1, "");

    private DataSource database;
    private JdbcTransactionManager manager;
    private JdbcTemplate jdbc;
    private ExactlyOnceReceiver receiver;

    @BeforeEach
    void create() throws SQLException {
        database = ReceiverDatabases.fresh("h2");
        manager = new JdbcTransactionManager(database);
        jdbc = new JdbcTemplate(database);
        receiver = ExactlyOnceReceiver.builder(new SpringTransactions(manager, database))
                .build();
    }

    private int effects() {
        return jdbc.queryForObject("select count(*) from effect", Integer.class);
    }

    @Test
    void what_a_template_writes_shares_the_fate_of_the_call() throws Exception {
        receiver.receive(CALL, connection -> {
            jdbc.update("insert into effect values ('half')");
            return ReceiverAnswer.of(500);
        });
        assertEquals(0, effects());
        for (int i = 0; i < 2; i++) {
            receiver.receive(CALL, connection -> {
                jdbc.update("insert into effect values ('whole')");
                return ReceiverAnswer.of(200);
            });
        }
        assertEquals(1, effects());
    }

    @Test
    void a_transactional_service_that_gave_up_inside_leaves_no_effect() {
        TransactionTemplate service = new TransactionTemplate(manager);
        assertThrows(
                UnexpectedRollbackException.class,
                () -> receiver.receive(CALL, connection -> {
                    service.executeWithoutResult(status -> {
                        jdbc.update("insert into effect values ('half')");
                        status.setRollbackOnly();
                    });
                    return ReceiverAnswer.of(200);
                }));
        assertEquals(0, effects());
        assertEquals(0, jdbc.queryForObject("select count(*) from twinbell_receiver_call", Integer.class));
    }

    @Test
    void a_manager_of_another_data_source_is_refused() throws Exception {
        ExactlyOnceReceiver wrong = ExactlyOnceReceiver.builder(
                        new SpringTransactions(manager, ReceiverDatabases.fresh("h2")))
                .build();
        IllegalStateException refused = assertThrows(
                IllegalStateException.class, () -> wrong.receive(CALL, connection -> ReceiverAnswer.of(200)));
        assertTrue(refused.getMessage().contains("does not work on this data source"), refused.getMessage());
    }
}
