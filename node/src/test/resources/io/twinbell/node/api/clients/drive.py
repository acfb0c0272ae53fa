"""Drives a node with the generated client: create, trigger, wait, pause, remove."""

import sys
import time

import openapi_client as twinbell

client = twinbell.ApiClient(twinbell.Configuration(host=sys.argv[1]))
tasks = twinbell.TasksApi(client)
executions = twinbell.ExecutionsApi(client)
task = tasks.put_task(
    "python",
    "report",
    twinbell.TaskPatch(
        schedule=twinbell.Schedule(cron="0 4 * * *", zone="Europe/Berlin"),
        handler=twinbell.Handler(twinbell.LogHandler(type="log", message="hello")),
    ),
)
tasks.trigger_task_by_name("python", "report")
while executions.list_executions(task=task.id).items[0].state != twinbell.ExecutionState.SUCCEEDED:
    time.sleep(0.1)
print(tasks.pause_task_by_name("python", "report").state.value)
tasks.delete_task_by_name("python", "report")
try:
    tasks.put_task("python", "bad", twinbell.TaskPatch(schedule=twinbell.Schedule(cron="never")))
except twinbell.ApiException as failure:
    print(failure.status)
