package io.twinbell.node.api.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.access.Grant;
import io.twinbell.node.access.Principal;
import io.twinbell.node.execution.store.ExecutionQueries.ManualRun;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskDecision;
import java.util.List;
import java.util.function.Predicate;

/** Refuses tasks of other apps, followers in other apps, and handlers and secrets that the principal may not use. */
public final class TaskAccess {
    private static final String SECRET = "secret";
    /** A profile may contain a key or a password. */
    private static final String PROFILE = "profile";

    private static final String SECRET_VARIABLE = "${secret.";

    private final Principal principal;

    public TaskAccess(Principal principal) {
        this.principal = principal;
    }

    /**
     * Checks a task, or those members of it that are given.
     *
     * @throws ProblemException if the principal may not store the task
     */
    public void check(JsonNode task) {
        if (task.path("app").isTextual()) {
            checkApp(task.path("app").textValue());
        }
        checkParts(task);
    }

    /** @throws ProblemException if the principal is bound to other apps */
    public void checkApp(String app) {
        if (!principal.sees(app)) {
            throw otherApp(principal, app);
        }
    }

    /**
     * Wraps the decision so that the whole resulting task is checked, including the parts that the request does not
     * change.
     */
    public TaskDecision checked(TaskDecision decision) {
        return (current, nowMillis) -> {
            TaskChange change = decision.decide(current, nowMillis);
            if (change instanceof TaskChange.Rewrite rewrite) {
                check(rewrite.content());
            } else if (change instanceof TaskChange.Renew renew) {
                check(renew.successor().content());
            }
            return change;
        };
    }

    /**
     * Checks a run by hand. Other data changes what the handler does, as a change of the task's data would, so it needs
     * the same grants.
     *
     * @throws ProblemException if the run has other data, and the principal may not change the task
     */
    public void checkRun(TaskContent content, ManualRun run) {
        if (run.data() != null) {
            checkHandler("gives other data to", StrictJson.readStored(content.definition()));
        }
    }

    private void check(TaskContent content) {
        checkApp(content.app());
        checkParts(StrictJson.readStored(content.definition()));
    }

    private void checkHandler(String deed, JsonNode task) {
        JsonNode handler = task.path("handler");
        String type = handler.path("type").asText();
        if (type.equals("sql")) {
            require(Grant.SQL, deed + " a task with an sql handler");
        }
        if (type.equals("shell")) {
            require(Grant.SHELL, deed + " a task with a shell handler");
        }
        if (usesSecret(handler)) {
            require(Grant.SECRETS, deed + " a task that uses a secret");
        }
        if (handler.hasNonNull(PROFILE)) {
            require(Grant.SECRETS, deed + " a task that uses an http profile");
        }
    }

    private void checkParts(JsonNode task) {
        checkHandler("stores", task);
        for (String link : List.of("then", "thenOnFailure")) {
            for (JsonNode follower : task.path(link)) {
                if (follower.path("app").isTextual()) {
                    checkApp(follower.path("app").textValue());
                }
            }
        }
    }

    /**
     * Tells by the stored content of an alert whether the principal may see and change it: whether it selects the tasks
     * of one of the principal's apps.
     */
    public static Predicate<String> alertsOf(Principal principal) {
        return content -> isAlertOf(principal, StrictJson.readStored(content));
    }

    /** The refusal of an alert that concerns other apps than those of the principal. */
    public static ProblemException otherAlert(Principal principal, String name) {
        return new ProblemException(
                ProblemType.NOT_PERMITTED,
                principal.name() + " has no access to the alert \"" + name + "\", which concerns other apps");
    }

    private static boolean isAlertOf(Principal principal, JsonNode alert) {
        return !principal.isBound()
                || principal.apps().contains(alert.path("tasks").path("app").asText(""));
    }

    /** @throws ProblemException if the alert concerns other apps, or uses a secret and the principal may not */
    public void checkAlert(JsonNode alert) {
        if (!isAlertOf(principal, alert)) {
            throw new ProblemException(
                    ProblemType.NOT_PERMITTED,
                    principal.name() + " is bound to apps: the alert must select one of them in \"tasks\"");
        }
        if (usesSecret(alert.path("webhook"))) {
            require(Grant.SECRETS, "stores an alert that uses a secret");
        }
        if (alert.path("webhook").hasNonNull(PROFILE)) {
            require(Grant.SECRETS, "stores an alert that uses an http profile");
        }
    }

    private void require(Grant grant, String what) {
        if (!principal.mayUse(grant)) {
            throw new ProblemException(
                    ProblemType.NOT_PERMITTED,
                    "this request " + what + ", and " + principal.name() + " has no grant \"" + grant.word() + "\"");
        }
    }

    private static boolean usesSecret(JsonNode call) {
        if (call.isTextual()) {
            return call.textValue().contains(SECRET_VARIABLE);
        }
        if (call.hasNonNull(SECRET)) {
            return true;
        }
        for (JsonNode part : call) {
            if (usesSecret(part)) {
                return true;
            }
        }
        return false;
    }

    public static ProblemException otherApp(Principal principal, String app) {
        return new ProblemException(
                ProblemType.NOT_PERMITTED, principal.name() + " has no access to the app \"" + app + "\"");
    }
}
