package io.twinbell.node.jmx;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.regex.Pattern;
import javax.management.MBeanServer;
import javax.management.remote.MBeanServerForwarder;

/** Proxy in front of all checks of a connector, which reports the calls that the checks refuse. */
final class ReportedCalls implements InvocationHandler {
    /** Calls that change nothing in the node. Adding and removing listeners is among them. */
    private static final Pattern READ = Pattern.compile("(?:get|is|query|add|remove).*");

    private final JmxRefusals refusals;
    private volatile MBeanServer server;

    private ReportedCalls(JmxRefusals refusals) {
        this.refusals = refusals;
    }

    static MBeanServerForwarder forwarder(JmxRefusals refusals) {
        return (MBeanServerForwarder) Proxy.newProxyInstance(
                ReportedCalls.class.getClassLoader(),
                new Class<?>[] {MBeanServerForwarder.class},
                new ReportedCalls(refusals));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        return switch (method.getName()) {
            case "setMBeanServer" -> {
                server = (MBeanServer) arguments[0];
                yield null;
            }
            case "getMBeanServer" -> server;
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == arguments[0];
            case "toString" -> "ReportedCalls";
            default -> call(method, arguments);
        };
    }

    private Object call(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(server, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SecurityException refused
                    && !READ.matcher(method.getName()).matches()) {
                refusals.call(JmxCaller.current(), shown(method, arguments), refused.getMessage());
            }
            throw e.getCause();
        }
    }

    private static String shown(Method method, Object[] arguments) {
        String what = method.getName().equals("invoke") ? arguments[1] + " of " : method.getName() + " of ";
        return what + arguments[0];
    }
}
