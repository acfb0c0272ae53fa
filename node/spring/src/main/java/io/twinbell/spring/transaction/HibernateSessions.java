package io.twinbell.spring.transaction;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.util.Map;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;

/** Opens sessions of Hibernate on a given connection. It is loaded only if the application has Hibernate. */
final class HibernateSessions {
    private HibernateSessions() {}

    /** Returns why a session on a given connection would not be one as the application knows it; null if it would be. */
    static String problem(EntityManagerFactory factory) {
        if (!(factory instanceof SessionFactoryImplementor sessions)) {
            return "its provider is " + factory.getClass().getName()
                    + ", and only Hibernate can use a given connection";
        }
        if (sessions.getSessionFactoryOptions().isMultiTenancyEnabled()) {
            return "Hibernate chooses a connection by the tenant (MultiTenantConnectionProvider), and the one of an"
                    + " execution has none";
        }
        return null;
    }

    /** @param properties those of the transaction manager for its entity managers */
    static EntityManager open(EntityManagerFactory factory, Connection connection, Map<String, Object> properties) {
        Session session =
                ((SessionFactory) factory).withOptions().connection(connection).openSession();
        properties.forEach(session::setProperty);
        return session;
    }
}
