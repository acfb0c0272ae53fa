package io.twinbell.node.handler.store;

import java.util.List;

/**
 * One SQL statement of an SQL task.
 *
 * @param text with a question mark for each parameter
 * @param parameters the values as text, whatever the type of the parameter; an element may be null
 */
public record SqlStatement(String text, List<String> parameters) {}
