package io.twinbell.node.api.access;

import io.javalin.http.Context;
import io.twinbell.node.access.oidc.OidcSignIn;
import io.twinbell.node.access.oidc.SignInAttempt;
import io.twinbell.node.access.token.ConsoleSessions;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.Problem;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.RefusalReport;
import io.twinbell.node.api.exchange.Route;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Routes that send the browser to the OpenID Connect provider, and begin a session of the console when it returns. */
public final class SignInRoutes {
    static final String BEGIN = "/api/v1/session/sign-in";
    private static final String RETURN = BEGIN + "/return";
    private static final Logger LOG = LoggerFactory.getLogger(SignInRoutes.class);

    /** What providers send; RFC 6749 and 9207, OpenID Connect Session Management, and names that large providers add. */
    private static final String[] ANSWERED = {
        "code",
        "state",
        "iss",
        "error",
        "error_description",
        "error_uri",
        "session_state",
        "scope",
        "authuser",
        "prompt",
        "hd"
    };

    private static final String NOT_BEGUN = "not-begun";
    private static final String REFUSED = "refused";
    private static final String NOT_PERMITTED = "not-permitted";
    private static final String NO_ANSWER = "no-answer";

    private final ApiAccess access;

    public SignInRoutes(ApiAccess access) {
        this.access = access;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(BEGIN, AccessRule.OPEN, this::begin),
                Route.get(RETURN, AccessRule.OPEN, this::end, ANSWERED));
    }

    private void begin(Context context) {
        SignInAttempt attempt = SignInAttempt.begin();
        try {
            String page = provider().page(attempt, redirectUrl(context));
            context.header(
                    "Set-Cookie",
                    SessionCookie.attempt(attempt.text(), context.req().isSecure()));
            redirect(context, page);
        } catch (IOException e) {
            unanswered(context, e);
        }
    }

    private void end(Context context) {
        OidcSignIn provider = provider();
        context.res()
                .addHeader("Set-Cookie", SessionCookie.endAttempt(context.req().isSecure()));
        QueryParameters answer = QueryParameters.of(context);
        Optional<SignInAttempt> attempt = SessionCookie.attempt(context.header("Cookie"))
                .flatMap(SignInAttempt::of)
                .filter(begun -> begun.hasState(answer.text("state")));
        if (attempt.isEmpty()) {
            failed(context, NOT_BEGUN);
        } else if (answer.text("code") == null || !provider.isIssuer(answer.text("iss"))) {
            refused(context, REFUSED, "the OpenID Connect provider refused the sign-in");
        } else {
            redeem(context, provider, attempt.get(), answer.text("code"));
        }
    }

    private void redeem(Context context, OidcSignIn provider, SignInAttempt attempt, String code) {
        try {
            Optional<String> session =
                    provider.redeem(code, attempt, redirectUrl(context)).flatMap(access.sessions()::begin);
            if (session.isEmpty()) {
                refused(
                        context,
                        NOT_PERMITTED,
                        "the provider or http.oidc.roles do not permit this account to sign in");
                return;
            }
            context.res()
                    .addHeader(
                            "Set-Cookie",
                            SessionCookie.begin(
                                    session.get(),
                                    ConsoleSessions.LIFE_OF_SIGNED_IN,
                                    context.req().isSecure()));
            redirect(context, "/");
        } catch (IOException e) {
            unanswered(context, e);
        }
    }

    private OidcSignIn provider() {
        return access.signIn()
                .orElseThrow(() -> new ProblemException(
                        ProblemType.NOT_FOUND, "this node has no provider for sign-in: http.oidc.clientId is not set"));
    }

    /** The provider compares this address with those that are registered for the client. The guard has checked Host. */
    private String redirectUrl(Context context) {
        String configured = provider().configuredRedirect();
        return configured == null
                ? (context.req().isSecure() ? "https://" : "http://") + context.header("Host") + RETURN
                : configured;
    }

    private static void unanswered(Context context, IOException e) {
        LOG.warn("a sign-in failed: {}", e.getMessage());
        failed(context, NO_ANSWER);
    }

    private static void refused(Context context, String reason, String detail) {
        RefusalReport.report(context, Problem.of(ProblemType.UNAUTHORIZED, detail), 1);
        failed(context, reason);
    }

    /** The console has a sentence for each reason. Free text in the address could be written by anyone. */
    private static void failed(Context context, String reason) {
        redirect(context, "/#/?signInFailed=" + reason);
    }

    private static void redirect(Context context, String location) {
        context.status(302).header("Location", location);
    }
}
