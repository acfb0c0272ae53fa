/**
 * Lets handlers with {@code exactlyOnce} use Spring's transactions: {@link
 * io.twinbell.spring.transaction.JoinedTransactions} makes the transaction that completes an execution the current one of the
 * handler's thread, for JDBC and for JPA. JPA and Hibernate are optional: only {@code EntityManagerFactories}, {@code
 * JoinedEntities} and {@code HibernateSessions} know them, and they are loaded if the application has both.
 */
package io.twinbell.spring.transaction;
