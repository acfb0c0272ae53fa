package io.twinbell.persistence.ledger;

import java.util.List;

/**
 * A statement of a task.
 *
 * @param text with a question mark for each parameter
 * @param parameters as text, of whatever type their place has; an element may be null
 */
public record SqlStatement(String text, List<String> parameters) {}
