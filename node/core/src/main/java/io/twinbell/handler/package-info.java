/**
 * Interfaces for code that tasks run: {@link io.twinbell.handler.TaskHandler}, and {@link
 * io.twinbell.handler.TransactionalHandler} for work that is committed together with its outcome. Handlers are
 * registered in code or found in a plugin jar ({@link io.twinbell.handler.HandlerPlugin}). A {@link
 * io.twinbell.handler.TaskInterceptor} runs around the attempts of all handler types.
 */
package io.twinbell.handler;
