package io.twinbell.client;

import java.util.List;

/**
 * A page of a list of executions.
 *
 * @param next the cursor of the next page; null on the last page
 */
public record ExecutionList(List<ExecutionView> items, String next) {}
