package io.twinbell.node.api.access;

import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.Permission;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.RequestRate;
import io.twinbell.node.access.UncheckedCredentialsException;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.api.exchange.NamedObject;
import io.twinbell.node.api.exchange.Problem;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.RefusalReport;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.exchange.Route.AccessGate;
import io.twinbell.node.api.exchange.TaskAccess;
import io.twinbell.node.api.server.ResponseSender;
import io.twinbell.node.api.task.TaskRoutes;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExecutionFilter;
import io.twinbell.node.execution.store.ExecutionQueries.ExecutionPage;
import java.security.cert.X509Certificate;
import java.util.Optional;

/** The one place that finds the principal of a request and decides whether its role, apps and grants permit it. */
public final class AccessCheck implements AccessGate {
    private static final String APP_KEY = "app:";
    private static final String BEARER = "bearer";
    /** Jakarta Servlet 6.0, 3.9. */
    private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";

    static final String METRICS = "/metrics";
    static final String UNKNOWN = "the token is unknown, revoked or expired";

    private final ApiAccess access;
    private final AccessPolicy policy;
    private final ApiStores stores;

    public AccessCheck(ApiAccess access, ApiStores stores) {
        this.access = access;
        policy = access.policy();
        this.stores = stores;
    }

    static String needsToken(AccessPolicy policy) {
        return "this node needs a token" + policy.advice();
    }

    static String mayOnlyRead(AccessPolicy policy) {
        return "a request without a token may only read" + policy.advice();
    }

    /** What follows {@code Bearer}; empty if the header has another form. */
    static Optional<String> credentials(String header) {
        String[] parts = header.strip().split(" +", 2);
        return parts.length == 2 && parts[0].equalsIgnoreCase(BEARER) ? Optional.of(parts[1]) : Optional.empty();
    }

    @Override
    public void admit(Context context, Route route) {
        RefusalReport.attach(context, access.refusals());
        AccessRule rule = route.access();
        boolean isOpen = rule.equals(AccessRule.OPEN)
                || access.opensMetrics() && route.path().equals(METRICS) && context.header("Authorization") == null;
        Principal principal = isOpen
                ? Principal.NOBODY
                : rule.equals(AccessRule.OPEN_IN_PART) ? recognized(context) : principal(context);
        String header = context.header("Authorization");
        String cookie = context.header("Cookie");
        String certificate = certificate(context);
        new Caller(
                        principal,
                        context.req().getRemoteAddr(),
                        isAnonymous(principal),
                        () -> now(header, cookie, certificate))
                .attach(context);
        checkRate(context, principal);
        if (rule.permission() != null) {
            checkPermission(context, principal, rule.permission());
            if (principal.isBound()) {
                checkApp(context, principal, route);
            }
        }
    }

    /** The principal of the same credentials now. Refused credentials count as no attempt. */
    private Optional<Principal> now(String header, String cookie, String certificate) {
        if (policy.isOpen()) {
            return Optional.of(Principal.ANYBODY);
        }
        try {
            return header == null
                    ? SessionCookie.principal(cookie, access.sessions())
                            .or(() -> policy.withoutCredentials(certificate))
                    : credentials(header).flatMap(policy::resolve);
        } catch (UncheckedCredentialsException e) {
            return Optional.empty();
        }
    }

    private static String certificate(Context context) {
        return ClientCertificate.commonName((X509Certificate[]) context.req().getAttribute(CERTIFICATES));
    }

    private boolean isAnonymous(Principal principal) {
        return !policy.isOpen() && (principal == Principal.NOBODY || policy.isAnonymous(principal));
    }

    private void checkRate(Context context, Principal principal) {
        RequestRate rate = access.quotas().ofPrincipal();
        boolean isCounted = principal != Principal.ANYBODY && !isAnonymous(principal);
        if (isCounted && !rate.admits(principal.name())) {
            context.header("Retry-After", "1");
            throw new ProblemException(
                    ProblemType.TOO_MANY_REQUESTS,
                    principal.name() + " may send " + rate.perSecond() + " requests a second to this node");
        }
    }

    private Optional<Principal> session(Context context) {
        return policy.isOpen() || !namesItsPage(context)
                ? Optional.empty()
                : SessionCookie.principal(context.header("Cookie"), access.sessions());
    }

    /**
     * Browsers send a cookie also on behalf of a foreign page of the same host. So a request that writes has to name its
     * page; requests that name a foreign one are refused before.
     */
    private static boolean namesItsPage(Context context) {
        HandlerType method = context.method();
        return method == HandlerType.GET
                || method == HandlerType.HEAD
                || context.header("Origin") != null
                || context.header("Sec-Fetch-Site") != null;
    }

    private Principal recognized(Context context) {
        String header = context.header("Authorization");
        try {
            if (policy.isOpen() || header == null) {
                return session(context)
                        .or(() -> policy.withoutCredentials(certificate(context)))
                        .orElse(Principal.NOBODY);
            }
            return credentials(header).flatMap(policy::resolve).orElse(Principal.NOBODY);
        } catch (UncheckedCredentialsException e) {
            return Principal.NOBODY;
        }
    }

    private Principal principal(Context context) {
        String header = context.header("Authorization");
        if (policy.isOpen()) {
            return Principal.ANYBODY;
        }
        if (header == null) {
            return session(context)
                    .or(() -> policy.withoutCredentials(certificate(context)))
                    .orElseThrow(() -> unauthorized(context, needsToken(policy)));
        }
        String credentials = credentials(header)
                .orElseThrow(() -> unauthorized(context, "send the header Authorization: Bearer TOKEN"));
        return policy.resolve(credentials).orElseThrow(() -> {
            String address = context.req().getRemoteAddr();
            context.req().setAttribute(ResponseSender.DELAY, access.attempts().failed(address));
            policy.formerHolder(credentials)
                    .ifPresent(name -> Caller.unknown(name, address).attach(context));
            return unauthorized(context, UNKNOWN);
        });
    }

    private void checkPermission(Context context, Principal principal, Permission permission) {
        if (principal.may(permission)) {
            return;
        }
        if (policy.isAnonymous(principal)) {
            throw unauthorized(context, mayOnlyRead(policy));
        }
        throw new ProblemException(
                ProblemType.NOT_PERMITTED,
                "this request needs the permission \"" + permission.word() + "\"; " + principal.name()
                        + " has the role " + principal.role().word());
    }

    private static ProblemException unauthorized(Context context, String detail) {
        context.header("WWW-Authenticate", Problem.CHALLENGE);
        return new ProblemException(ProblemType.UNAUTHORIZED, detail);
    }

    private void checkApp(Context context, Principal principal, Route route) {
        switch (route.access().scope()) {
            case PAIR -> throw wholePair(principal);
            case KEY_IN_PATH -> checkKey(principal, context.pathParam("key"));
            case APP_IN_PATH -> new TaskAccess(principal).checkApp(context.pathParam("app"));
            case TASK_IN_PATH -> checkTask(context, principal, TaskRoutes.id(context));
            case EXECUTION_IN_PATH -> checkExecution(context, principal, context.pathParam("id"));
            case ALERT_IN_PATH -> checkAlert(context, principal, context.pathParam("name"));
            case APP_IN_QUERY -> checkQuery(context, principal, route);
            default -> {}
        }
    }

    private static ProblemException wholePair(Principal principal) {
        return new ProblemException(
                ProblemType.NOT_PERMITTED,
                "this request concerns the whole pair, and " + principal.name() + " is bound to the apps "
                        + String.join(", ", principal.apps()));
    }

    private static void checkKey(Principal principal, String key) {
        if (!key.startsWith(APP_KEY)) {
            throw wholePair(principal);
        }
        new TaskAccess(principal).checkApp(key.substring(APP_KEY.length()));
    }

    /** An unknown task and a task of another app get the same answer. The ledger outlives its tasks. */
    private void checkTask(Context context, Principal principal, long id) {
        Optional<String> app = stores.tasks()
                .find(id)
                .map(task -> task.content().app())
                .or(() -> anyExecution(id).map(Execution::app));
        if (!sees(context, principal, app)) {
            throw TaskRoutes.unknown(id);
        }
    }

    private Optional<Execution> anyExecution(long taskId) {
        return stores
                .executions()
                .list(ExecutionFilter.ofTask(taskId), new ExecutionPage(null, 1, false, true))
                .stream()
                .findFirst();
    }

    private void checkExecution(Context context, Principal principal, String id) {
        Optional<Execution> execution = ExecutionJson.slot(id).flatMap(stores.executions()::find);
        if (!sees(context, principal, execution.map(Execution::app))) {
            throw new ProblemException(ProblemType.NOT_FOUND, "there is no execution " + id);
        }
    }

    /** The answer does not say that there is such an object of another app; the audit does. */
    private static boolean sees(Context context, Principal principal, Optional<String> app) {
        boolean isOwn = app.map(principal::sees).orElse(false);
        if (!isOwn) {
            app.ifPresent(other -> RefusalReport.report(context, TaskAccess.otherApp(principal, other)));
        }
        return isOwn;
    }

    /**
     * An unknown alert and an alert of other apps get the same answer. A PUT is checked in the transaction that stores
     * the alert, because another app may take the same name meanwhile.
     */
    private void checkAlert(Context context, Principal principal, String name) {
        if (context.method() == HandlerType.PUT) {
            return;
        }
        stores.alerts()
                .find(name)
                .filter(alert -> !TaskAccess.alertsOf(principal).test(alert.content()))
                .ifPresent(alert -> {
                    RefusalReport.report(context, TaskAccess.otherAlert(principal, name));
                    throw NamedObject.ALERT.unknown(name);
                });
    }

    /** A bulk change must name its app: a forgotten filter must not change all tasks of the principal's only app. */
    private static void checkQuery(Context context, Principal principal, Route route) {
        String app = QueryParameters.of(context).text("app");
        if (app != null) {
            new TaskAccess(principal).checkApp(app);
        } else if (route.method() == HandlerType.GET && principal.apps().size() == 1) {
            QueryParameters.imply(context, "app", principal.apps().iterator().next());
        } else {
            throw QueryParameters.refusal(
                    "app",
                    "must be one of the apps of " + principal.name() + ": " + String.join(", ", principal.apps()));
        }
    }
}
