package io.twinbell.spring;

import io.twinbell.Tasks;
import io.twinbell.client.HandlerKey;
import io.twinbell.client.PayloadException;
import io.twinbell.handler.TaskContext;
import io.twinbell.handler.TaskFailedException;
import io.twinbell.handler.TaskHandler;
import io.twinbell.handler.TransactionContext;
import io.twinbell.handler.TransactionalHandler;
import io.twinbell.spring.transaction.JoinedTransactions;
import io.twinbell.spring.transaction.NotJoinableException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** The handlers and recurring tasks that the methods of the application's beans declare. Nothing is called yet. */
final class DeclaredHandlers implements SmartInitializingSingleton {
    private static final Pattern LIBRARIES = Pattern.compile("(java|javax|jakarta|org\\.springframework)\\.");

    private static final String CORRECT_RETRY = "Correct @RetryAttempts, or the properties twinbell.retry.*.";

    private final ConfigurableListableBeanFactory beans;
    private final String app;
    private final JoinedTransactions transactions;
    private final HandlerPolicies policies;
    private final Map<String, TaskHandler> byKey = new LinkedHashMap<>();
    private final Map<String, BeanMethod> origins = new LinkedHashMap<>();
    private final List<RecurringTask> recurring = new ArrayList<>();

    DeclaredHandlers(
            ConfigurableListableBeanFactory beans,
            String app,
            JoinedTransactions transactions,
            HandlerPolicies policies) {
        this.beans = beans;
        this.app = app;
        this.transactions = transactions;
        this.policies = policies;
    }

    /**
     * Finds the annotated methods.
     *
     * @throws StartRefusedException if a declaration is wrong; the message names the method
     */
    @Override
    public void afterSingletonsInstantiated() {
        for (String bean : beans.getBeanNamesForType(Object.class)) {
            if (ScopedProxyUtils.isScopedTarget(bean)) {
                continue;
            }
            Class<?> type = typeOf(bean);
            if (type == null || type.getName().startsWith("org.springframework.")) {
                continue;
            }
            Class<?> declaring = ClassUtils.getUserClass(type);
            if (AnnotationUtils.isCandidateClass(declaring, List.of(TwinbellHandler.class, Recurring.class))) {
                find(bean, declaring);
            }
        }
    }

    /**
     * The class of the bean, behind its proxy. Of a lazy bean that does not exist yet, only the type that its factory method
     * returns is known. If that is an interface of the application, the bean is made: otherwise its methods would not be
     * found.
     */
    private Class<?> typeOf(String bean) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
        if (type == null || !beans.isSingleton(bean)) {
            return type;
        }
        boolean isUnknown = Modifier.isAbstract(type.getModifiers())
                && !beans.containsSingleton(bean)
                && !LIBRARIES.matcher(type.getName()).lookingAt();
        return isUnknown || Proxy.isProxyClass(type) ? AopUtils.getTargetClass(beans.getBean(bean)) : type;
    }

    private void find(String bean, Class<?> type) {
        Map<Method, TwinbellHandler> handlers = MethodIntrospector.selectMethods(
                type, (Method method) -> AnnotatedElementUtils.findMergedAnnotation(method, TwinbellHandler.class));
        handlers.forEach((method, declared) -> handler(invocable(bean, method), declared));
        Map<Method, Recurring> tasks = MethodIntrospector.selectMethods(
                type, (Method method) -> AnnotatedElementUtils.findMergedAnnotation(method, Recurring.class));
        tasks.forEach((method, declared) -> recurring(invocable(bean, method), declared));
    }

    /** Makes the bean if it is a lazy singleton, because its proxy shows what can be called. */
    private BeanMethod invocable(String bean, Method method) {
        BeanMethod found = BeanMethod.of(beans, bean, method);
        if (beans.isSingleton(bean)) {
            found.requireInvocable();
        }
        return found;
    }

    private void handler(BeanMethod method, TwinbellHandler declared) {
        String key = resolved(declared.value());
        policies.putRetry(key, retry(method, declared.retry()));
        HandlerKey<?> payload = method.payloadType() == null ? null : payloadKey(key, method);
        if (declared.exactlyOnce() || declared.rerunOrphans()) {
            policies.rerunOrphans(key);
        }
        add(key, code(method, payload, "@TwinbellHandler", declared.exactlyOnce()), method);
    }

    private TaskHandler code(BeanMethod method, HandlerKey<?> payload, String annotation, boolean exactlyOnce) {
        if (exactlyOnce) {
            requireJoinable(method);
            TransactionalHandler joined =
                    context -> transactions.run(context, own -> method.call(read(payload, own), own));
            return joined;
        }
        if (TransactionContext.class.isAssignableFrom(method.contextType())) {
            throw new StartRefusedException(
                    method + " has a TransactionContext, so its " + annotation + " needs exactlyOnce = true",
                    "Set exactlyOnce = true, or let the method take a TaskContext.",
                    null);
        }
        return context -> method.call(read(payload, context), context);
    }

    private void requireJoinable(BeanMethod method) {
        try {
            transactions.check();
        } catch (NotJoinableException e) {
            throw new StartRefusedException(method + " is exactlyOnce, and " + e.getMessage(), e.action(), e);
        }
    }

    /** The application's own bean with the key, because it may have upgrades; otherwise one of the parameter's type. */
    private HandlerKey<?> payloadKey(String key, BeanMethod method) {
        for (HandlerKey<?> own : beans.getBeansOfType(HandlerKey.class).values()) {
            if (own.key().equals(key)) {
                if (!ClassUtils.isAssignable(method.payloadType(), own.type())) {
                    throw new StartRefusedException(
                            method + " takes a " + method.payloadType().getName()
                                    + ", and the HandlerKey bean \"" + key + "\" has payloads of type "
                                    + own.type().getName(),
                            "Change the method's parameter, or the type of the HandlerKey.",
                            null);
                }
                return own;
            }
        }
        return HandlerKey.of(key, method.payloadType());
    }

    private static Object read(HandlerKey<?> payload, TaskContext context) throws TaskFailedException {
        try {
            return payload == null ? null : payload.read(context.data());
        } catch (PayloadException e) {
            throw new TaskFailedException("UNREADABLE_PAYLOAD", e.getMessage(), e);
        }
    }

    private void recurring(BeanMethod method, Recurring declared) {
        Class<?> context = method.contextType();
        if (method.payloadType() != null || (context != TaskContext.class && context != TransactionContext.class)) {
            throw new StartRefusedException(
                    method
                            + " is @Recurring, so it must have no parameter, or one of type TaskContext (with exactlyOnce,"
                            + " also TransactionContext)",
                    "Remove the parameter. A task with a payload is enqueued with JdbcTaskClient, for a @TwinbellHandler.",
                    null);
        }
        RecurringTask task = RecurringTask.of(app, method, declared, this::resolved, retry(method, declared.retry()));
        if (task.isOff()) {
            return;
        }
        try {
            Tasks.check(app, task.name(), task.checkable());
        } catch (IllegalArgumentException e) {
            throw new StartRefusedException(
                    "the @Recurring task \"" + task.name() + "\" of " + method + " is not valid: " + e.getMessage(),
                    "Correct the annotation, or the properties that it names. The value - for cron or every switches it off.",
                    e);
        }
        TaskHandler code = code(method, null, "@Recurring", declared.exactlyOnce());
        recurring.add(task);
        add(task.key(), code, method);
    }

    private TwinbellProperties.RetrySettings retry(BeanMethod method, RetryAttempts declared) {
        TwinbellProperties.RetrySettings usual = policies.usualRetry();
        String backoff = resolved(declared.backoff());
        String longest = resolved(declared.maxBackoff());
        try {
            TwinbellProperties.RetrySettings retry = new TwinbellProperties.RetrySettings(
                    declared.value() == 0 ? usual.maxAttempts() : Integer.valueOf(declared.value()),
                    backoff.isEmpty() ? usual.backoff() : DurationStyle.detectAndParse(backoff),
                    declared.multiplier() == 0 ? usual.multiplier() : Double.valueOf(declared.multiplier()),
                    longest.isEmpty() ? usual.maxBackoff() : DurationStyle.detectAndParse(longest),
                    declared.jitter() == -1 ? usual.jitter() : Double.valueOf(declared.jitter()));
            if (retry.problem() == null) {
                return retry;
            }
            throw new StartRefusedException(
                    "the retry of " + method + " is not valid: " + retry.problem(), CORRECT_RETRY, null);
        } catch (IllegalArgumentException e) {
            throw new StartRefusedException(
                    "the retry of " + method + " has a duration that cannot be read (use 10s or PT10S): "
                            + e.getMessage(),
                    CORRECT_RETRY,
                    e);
        }
    }

    private void add(String key, TaskHandler code, BeanMethod method) {
        BeanMethod other = origins.putIfAbsent(key, method);
        if (other != null) {
            throw new StartRefusedException(
                    "two methods declare \"" + key + "\": " + other + " and " + method,
                    "Give one of them another key (@TwinbellHandler) or name (@Recurring).",
                    null);
        }
        byKey.put(key, code);
    }

    private String resolved(String text) {
        String resolved = beans.resolveEmbeddedValue(text);
        return resolved == null ? "" : resolved.strip();
    }

    Map<String, TaskHandler> byKey() {
        return byKey;
    }

    List<RecurringTask> recurring() {
        return recurring;
    }
}
