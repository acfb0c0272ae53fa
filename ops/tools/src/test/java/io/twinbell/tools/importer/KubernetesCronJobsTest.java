package io.twinbell.tools.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.manifest.ManifestException;
import java.util.List;
import org.junit.jupiter.api.Test;

class KubernetesCronJobsTest {
    private static final KubernetesCronJobs.Options SHELL = new KubernetesCronJobs.Options("shop", "UTC", null);
    private static final String CLOSE = """
            apiVersion: batch/v1
            kind: CronJob
            metadata: {name: close-day, namespace: billing}
            spec:
              schedule: "30 2 * * 1-5"
              timeZone: Europe/Berlin
              concurrencyPolicy: Forbid
              startingDeadlineSeconds: 600
              suspend: true
              jobTemplate:
                spec:
                  backoffLimit: 2
                  activeDeadlineSeconds: 3600
                  template:
                    spec:
                      restartPolicy: Never
                      containers:
                        - name: close
                          image: shop/billing:7
                          command: [/bin/close]
                          args: [--day, yesterday]
                          env:
                            - {name: REGION, value: eu}
                            - {name: TOKEN, valueFrom: {secretKeyRef: {name: t, key: k}}}
            """;

    @Test
    void a_cron_job_becomes_a_task_with_its_policies() throws Exception {
        ImportCandidate close = KubernetesCronJobs.read(CLOSE, "x.yaml", SHELL).get(0);
        assertEquals(
                "{\"app\":\"shop\",\"name\":\"billing.close-day\","
                        + "\"schedule\":{\"cron\":\"30 2 * * 1-5\",\"dialect\":\"UNIX\",\"zone\":\"Europe/Berlin\"},"
                        + "\"handler\":{\"type\":\"shell\",\"command\":[\"/bin/close\",\"--day\",\"yesterday\"],"
                        + "\"environment\":{\"REGION\":\"eu\"}},"
                        + "\"overlap\":\"SKIP\",\"expireAfter\":\"PT600S\",\"enabled\":false,"
                        + "\"retry\":{\"maxAttempts\":3,\"backoff\":\"PT10S\",\"multiplier\":2,\"maxBackoff\":\"PT6M\"},"
                        + "\"timeout\":\"PT3600S\",\"orphan\":\"RERUN\"}",
                close.task().toString());
        assertTrue(
                close.notes().stream().anyMatch(note -> note.contains("TOKEN")),
                close.notes().toString());
    }

    @Test
    void with_a_url_the_job_is_called_and_its_containers_do_not_matter() throws Exception {
        ImportCandidate close = KubernetesCronJobs.read(
                        CLOSE,
                        "x.yaml",
                        new KubernetesCronJobs.Options("shop", "UTC", "http://jobs/{namespace}/{name}"))
                .get(0);
        assertEquals(
                "{\"type\":\"http\",\"method\":\"POST\",\"url\":\"http://jobs/billing/close-day\"}",
                close.task().path("handler").toString());
    }

    @Test
    void lists_several_documents_and_json_are_read() throws Exception {
        String list = """
                {"kind":"List","items":[
                  {"kind":"CronJob","metadata":{"name":"a"},"spec":{"schedule":"@hourly","concurrencyPolicy":"Replace",
                   "jobTemplate":{"spec":{"template":{"spec":{"containers":[{"command":["x"]}]}}}}}},
                  {"kind":"Service","metadata":{"name":"s"}}]}""";
        List<ImportCandidate> found = KubernetesCronJobs.read(list, "-", SHELL);
        assertEquals("CANCEL_RUNNING", found.get(0).task().path("overlap").asText());
        assertEquals(7, found.get(0).task().at("/retry/maxAttempts").asInt(), "the six retries of a Job");
        assertEquals("is not a CronJob", found.get(1).obstacle());
        assertEquals(
                2,
                KubernetesCronJobs.read(CLOSE + "---\n" + CLOSE.replace("close-day", "x"), "-", SHELL)
                        .size());
    }

    private static ImportCandidate with(String schedule) throws ManifestException {
        return KubernetesCronJobs.read(CLOSE.replace("30 2 * * 1-5", schedule), "-", SHELL)
                .get(0);
    }

    @Test
    void schedules_mean_what_kubernetes_means() throws Exception {
        assertEquals(
                "PT1H30M", with("@every 1h30m").task().at("/schedule/every").asText());
        assertEquals(
                "America/New_York",
                with("TZ=America/New_York 0 6 * * *")
                        .task()
                        .at("/schedule/zone")
                        .asText());
        assertEquals("0 6 */2 * MON", cron("0 6 */2 * MON"), "unlike in cron, either day is enough");
        assertEquals("0 6 * * MON", cron("0 6 5,*/1 * MON"));
        assertEquals("0 6 * * MON", cron("0 6 ? * MON"));
        assertTrue(with("0 6 * *").obstacle().contains("five fields"));
        assertTrue(with("@fortnightly").obstacle().contains("unknown schedule"));
    }

    private static String cron(String schedule) throws ManifestException {
        return with(schedule).task().at("/schedule/cron").asText();
    }

    @Test
    void what_a_task_cannot_run_has_a_reason() throws Exception {
        String entryPoint = CLOSE.replace("command: [/bin/close]", "imagePullPolicy: Always");
        assertTrue(KubernetesCronJobs.read(entryPoint, "-", SHELL)
                .get(0)
                .obstacle()
                .contains("entry point of the image shop/billing:7"));
        assertThrows(ManifestException.class, () -> KubernetesCronJobs.read("a: [", "-", SHELL));
    }

    private static ImportCandidate container(String members) throws ManifestException {
        String job = """
                {"kind":"CronJob","metadata":{"name":"a"},"spec":{"schedule":"@hourly","jobTemplate":{"spec":{"template":
                 {"spec":{"containers":[{%s}]}}}}}}""";
        return KubernetesCronJobs.read(job.formatted(members), "-", SHELL).get(0);
    }

    @Test
    void references_in_a_command_are_replaced_as_in_kubernetes() throws Exception {
        ImportCandidate taken = container("""
                "command":["x","--in=$(DIR)/a","$$(DIR)","$(date +%F)","$$HOME"],
                "env":[{"name":"ROOT","value":"/srv"},{"name":"DIR","value":"$(ROOT)/in"}]""");
        assertEquals(
                "[\"x\",\"--in=/srv/in/a\",\"$(DIR)\",\"$(date +%F)\",\"$HOME\"]",
                taken.task().at("/handler/command").toString());
        assertEquals("/srv/in", taken.task().at("/handler/environment/DIR").asText());
        assertTrue(container("""
                "command":["x","$(TOKEN)"],"env":[{"name":"TOKEN","valueFrom":{"secretKeyRef":{"name":"t"}}}]""").obstacle().contains("uses $(TOKEN), whose value comes from the cluster"));
    }

    @Test
    void what_surrounds_a_container_is_not_lost_without_a_word() throws Exception {
        ImportCandidate taken = container("""
                "command":["x"],"envFrom":[{"secretRef":{"name":"s"}}],"volumeMounts":[{"name":"v","mountPath":"/data"}]""");
        assertTrue(
                taken.notes().toString().contains("variables of envFrom"),
                taken.notes().toString());
        assertTrue(
                taken.notes().toString().contains("volume at /data"),
                taken.notes().toString());
        assertTrue(container("\"command\":[\"x\"]}],\"initContainers\":[{")
                .obstacle()
                .contains("init containers"));
    }
}
