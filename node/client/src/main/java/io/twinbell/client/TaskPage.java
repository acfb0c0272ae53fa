package io.twinbell.client;

import java.util.List;

/**
 * A page of a list of tasks. Of very many tasks, a page may be empty and have a next one.
 *
 * @param next the cursor of the next page; null on the last page
 */
public record TaskPage(List<TaskView> items, String next) {}
