// Drives a node with the generated client: create, trigger, wait, pause, remove.
import { Configuration, ExecutionsApi, ResponseError, TasksApi } from './client';

declare const process: { argv: string[] };

async function main(): Promise<void> {
  const configuration = new Configuration({ basePath: process.argv[2] });
  const tasks = new TasksApi(configuration);
  const executions = new ExecutionsApi(configuration);
  const key = { app: 'typescript', name: 'report' };
  const task = await tasks.putTask({
    ...key,
    taskPatch: {
      schedule: { cron: '0 4 * * *', zone: 'Europe/Berlin' },
      handler: { type: 'log', message: 'hello' },
    },
  });
  await tasks.triggerTaskByName(key);
  for (;;) {
    const page = await executions.listExecutions({ task: task.id });
    if (page.items[0]?.state === 'SUCCEEDED') {
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  console.log((await tasks.pauseTaskByName(key)).state);
  await tasks.deleteTaskByName(key);
  try {
    await tasks.putTask({ ...key, taskPatch: { schedule: { cron: 'never' } } });
  } catch (failure) {
    console.log(failure instanceof ResponseError ? failure.response.status : failure);
  }
}

void main();
