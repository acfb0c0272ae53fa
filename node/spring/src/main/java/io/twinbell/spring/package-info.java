/**
 * Twinbell in applications of Spring Boot. {@code TwinbellAutoConfiguration} makes the beans: the client that enqueues in
 * the application's transactions, and {@code TwinbellNode}, which runs a node with the context's lifecycle. The methods
 * of beans with {@code @TwinbellHandler} and {@code @Recurring} are the node's handlers.
 */
package io.twinbell.spring;
