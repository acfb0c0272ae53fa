/**
 * Handlers whose work commits together with the outcome of their execution: the {@code sql} handler, and the threads that
 * transactional {@code java} handlers share with it.
 */
package io.twinbell.node.handler.transaction;
