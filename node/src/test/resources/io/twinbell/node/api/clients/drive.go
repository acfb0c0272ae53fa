// Drives a node with the generated client: create, trigger, wait, pause, remove.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	twinbell "twinbell.example/client"
)

func main() {
	configuration := twinbell.NewConfiguration()
	configuration.Servers = twinbell.ServerConfigurations{{URL: os.Args[1]}}
	client := twinbell.NewAPIClient(configuration)
	ctx := context.Background()

	schedule := twinbell.NewSchedule()
	schedule.SetCron("0 4 * * *")
	schedule.SetZone("Europe/Berlin")
	handler := twinbell.LogHandlerAsHandler(twinbell.NewLogHandler("log"))
	patch := twinbell.NewTaskPatch()
	patch.SetSchedule(*schedule)
	patch.SetHandler(handler)
	task, _, err := client.TasksAPI.PutTask(ctx, "go", "report").TaskPatch(*patch).Execute()
	check(err)
	_, _, err = client.TasksAPI.TriggerTaskByName(ctx, "go", "report").Execute()
	check(err)
	for {
		page, _, err := client.ExecutionsAPI.ListExecutions(ctx).Task(task.GetId()).Execute()
		check(err)
		if page.Items[0].GetState() == twinbell.SUCCEEDED {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	paused, _, err := client.TasksAPI.PauseTaskByName(ctx, "go", "report").Execute()
	check(err)
	fmt.Println(paused.GetState())
	_, err = client.TasksAPI.DeleteTaskByName(ctx, "go", "report").Execute()
	check(err)
	bad := twinbell.NewSchedule()
	bad.SetCron("never")
	refused := twinbell.NewTaskPatch()
	refused.SetSchedule(*bad)
	_, response, err := client.TasksAPI.PutTask(ctx, "go", "bad").TaskPatch(*refused).Execute()
	if err == nil {
		panic("the bad schedule was accepted")
	}
	fmt.Println(response.StatusCode)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
