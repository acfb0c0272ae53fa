package io.twinbell.node.api.exchange;

/** The paths that more than one class of routes serves. */
public final class ApiPaths {

    public static final String TASKS = "/api/v1/tasks";
    public static final String NAMED_TASK = "/api/v1/apps/{app}/tasks/{name}";
    public static final String EXECUTIONS = "/api/v1/executions";
    public static final String EXECUTION_STREAM = EXECUTIONS + "/stream";
    public static final String CALENDARS = "/api/v1/calendars";
    public static final String CLUSTER = "/api/v1/cluster";

    private ApiPaths() {}
}
