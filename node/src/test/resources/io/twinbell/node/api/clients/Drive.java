import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ExecutionsApi;
import org.openapitools.client.api.TasksApi;
import org.openapitools.client.model.Execution;
import org.openapitools.client.model.ExecutionState;
import org.openapitools.client.model.Handler;
import org.openapitools.client.model.HttpHandler;
import org.openapitools.client.model.LogHandler;
import org.openapitools.client.model.Retry;
import org.openapitools.client.model.Schedule;
import org.openapitools.client.model.Task;
import org.openapitools.client.model.TaskPatch;

/** Drives a node with the generated client: create, trigger, wait, pause, remove. */
public class Drive {
    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        TasksApi tasks = new TasksApi(client);
        Task task = tasks.putTask(
                "java",
                "report",
                new TaskPatch()
                        .schedule(new Schedule().cron("0 4 * * *").zone("Europe/Berlin"))
                        .retry(new Retry().maxAttempts(3))
                        .handler(new Handler(new LogHandler().type(LogHandler.TypeEnum.LOG).message("hello"))),
                null);
        tasks.putTask(
                "java",
                "call",
                new TaskPatch()
                        .schedule(new Schedule().in("PT1H"))
                        .handler(new Handler(new HttpHandler().type(HttpHandler.TypeEnum.HTTP).url("http://127.0.0.1:9/"))),
                null);
        Execution triggered = tasks.triggerTaskByName("java", "report", null);
        ExecutionsApi executions = new ExecutionsApi(client);
        Execution ended = triggered;
        while (ended.getState() != ExecutionState.SUCCEEDED) {
            Thread.sleep(100);
            ended = executions
                    .listExecutions(task.getId(), null, null, null, List.of(), null, null, null, null, null, null, null,
                            null, null, null)
                    .getItems()
                    .get(0);
        }
        System.out.println(tasks.pauseTaskByName("java", "report", null).getState());
        tasks.deleteTaskByName("java", "report", null, null, null);
        try {
            tasks.putTask("java", "bad", new TaskPatch().schedule(new Schedule().cron("never")), null);
        } catch (ApiException e) {
            System.out.println(e.getCode());
        }
    }
}
