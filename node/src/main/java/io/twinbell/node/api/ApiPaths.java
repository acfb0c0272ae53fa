package io.twinbell.node.api;

/** The paths that more than one class of routes serves. */
final class ApiPaths {

    static final String TASKS = "/api/v1/tasks";
    static final String NAMED_TASK = "/api/v1/apps/{app}/tasks/{name}";
    static final String EXECUTIONS = "/api/v1/executions";
    static final String EXECUTION_STREAM = EXECUTIONS + "/stream";
    static final String CALENDARS = "/api/v1/calendars";
    static final String CLUSTER = "/api/v1/cluster";

    private ApiPaths() {}
}
