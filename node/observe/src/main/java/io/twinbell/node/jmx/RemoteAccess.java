package io.twinbell.node.jmx;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.NotificationListener;
import javax.management.ObjectInstance;
import javax.management.ObjectName;
import javax.management.remote.MBeanServerForwarder;

/**
 * Restricts what a JMX client may do: read this node's MBeans and the JVM's own figures, listen to their
 * notifications, and call the three operations of the Leadership MBean. Everything else is refused, because several of
 * the JDK's MBeans run code, write files or load agents for any caller. A refused call that is no read is reported. The
 * MBean server itself stays unrestricted for code in the same process and for the Attach API.
 */
final class RemoteAccess implements InvocationHandler {
    private static final String RULES = "; JMX serves the attributes of " + ManagementBeans.DOMAIN + ", "
            + ManagementBeans.METRICS_DOMAIN + ", java.lang and java.nio, and the operations resign, pause and resume";

    private static final List<ObjectName> READABLE = List.of(
            name(ManagementBeans.DOMAIN + ":*"),
            name(ManagementBeans.METRICS_DOMAIN + ":*"),
            name("java.lang:*"),
            name("java.nio:*"),
            name("JMImplementation:type=MBeanServerDelegate"));

    private static final ObjectName LEADERSHIP = name(ManagementBeans.DOMAIN + ":type=Leadership");
    /** Allowed operations: names with parameter types. */
    private static final Set<String> OPERATIONS = Set.of("resign[]", "pause[java.lang.String]", "resume[]");

    private static final ObjectName RUNTIME = name("java.lang:type=Runtime");
    /**
     * Refused, because it holds the whole command line and with it the secrets that an application was started with.
     */
    private static final String SYSTEM_PROPERTIES = "SystemProperties";

    private static final String ARGUMENTS = "InputArguments";
    private static final Pattern SECRET = Pattern.compile(
            "(?i)(.*(?:passw|secret|token|credential|private|apikey|api[-_.]key)[^=]*=).*", Pattern.DOTALL);

    /** Calls that change nothing in the node. Adding and removing listeners is among them. */
    private static final Pattern READ = Pattern.compile("(?:get|is|query|add|remove).*");

    private final JmxServer.JmxRefusals refusals;
    private volatile MBeanServer server;

    private RemoteAccess(JmxServer.JmxRefusals refusals) {
        this.refusals = refusals;
    }

    /** Creates the forwarder that a connector puts before its MBean server. */
    static MBeanServerForwarder forwarder(JmxServer.JmxRefusals refusals) {
        return (MBeanServerForwarder) Proxy.newProxyInstance(
                RemoteAccess.class.getClassLoader(),
                new Class<?>[] {MBeanServerForwarder.class},
                new RemoteAccess(refusals));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        try {
            return answer(proxy, method, arguments);
        } catch (SecurityException refused) {
            if (!READ.matcher(method.getName()).matches()) {
                String what = method.getName().equals("invoke") ? (String) arguments[1] : method.getName();
                refusals.call(JmxCaller.current(), what + " of " + arguments[0], refused.getMessage());
            }
            throw refused;
        }
    }

    private Object answer(Object proxy, Method method, Object[] arguments) throws Throwable {
        return switch (method.getName()) {
            case "setMBeanServer" -> {
                server = (MBeanServer) arguments[0];
                yield null;
            }
            case "getMBeanServer" -> server;
            case "getDefaultDomain", "getClassLoaderRepository" -> forward(method, arguments);
            case "getDomains" -> visibleDomains();
            case "getMBeanCount" -> visibleNames().size();
            case "queryNames" -> visible((Collection<?>) forward(method, arguments), ObjectName.class::cast);
            case "queryMBeans" ->
                visible((Collection<?>) forward(method, arguments), found -> ((ObjectInstance) found).getObjectName());
            case "isRegistered" -> isVisible((ObjectName) arguments[0]) && (boolean) forward(method, arguments);
            case "getMBeanInfo", "getObjectInstance", "isInstanceOf", "getClassLoaderFor" -> {
                refuseHidden((ObjectName) arguments[0]);
                yield forward(method, arguments);
            }
            case "getAttribute" -> attribute(method, arguments);
            case "getAttributes" -> attributes(method, arguments);
            case "addNotificationListener", "removeNotificationListener" -> {
                refuseHidden((ObjectName) arguments[0]);
                refuseForeignListener(method);
                yield forward(method, arguments);
            }
            case "invoke" -> {
                refuseOtherOperations((ObjectName) arguments[0], (String) arguments[1], (String[]) arguments[3]);
                yield forward(method, arguments);
            }
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == arguments[0];
            case "toString" -> "RemoteAccess";
            default -> throw new SecurityException(method.getName() + " is not allowed over JMX" + RULES);
        };
    }

    private Object forward(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(server, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private String[] visibleDomains() {
        return visibleNames().stream().map(ObjectName::getDomain).distinct().toArray(String[]::new);
    }

    private Set<ObjectName> visibleNames() {
        return visible(server.queryNames(null, null), Function.identity());
    }

    private static <T> Set<T> visible(Collection<T> found, Function<T, ObjectName> nameOf) {
        return found.stream().filter(one -> isVisible(nameOf.apply(one))).collect(Collectors.toSet());
    }

    private static boolean isVisible(ObjectName name) {
        return name != null && READABLE.stream().anyMatch(pattern -> pattern.apply(name));
    }

    private static void refuseHidden(ObjectName name) {
        if (!isVisible(name)) {
            throw new SecurityException("the MBean " + name + " is not served over JMX" + RULES);
        }
    }

    /**
     * Refuses an MBean as the listener: any client that can cause a notification could then call a method of the MBean.
     */
    private static void refuseForeignListener(Method method) {
        if (method.getParameterTypes()[1] != NotificationListener.class) {
            throw new SecurityException("MBeans as notification listeners are not allowed over JMX" + RULES);
        }
    }

    private static void refuseOtherOperations(ObjectName name, String operation, String[] signature) {
        String called = operation + Arrays.toString(signature == null ? new String[0] : signature);
        if (!LEADERSHIP.equals(name) || !OPERATIONS.contains(called)) {
            throw new SecurityException("the operation " + called + " of " + name + " is not allowed over JMX" + RULES);
        }
    }

    private Object attribute(Method method, Object[] arguments) throws Throwable {
        ObjectName name = (ObjectName) arguments[0];
        refuseHidden(name);
        String attribute = (String) arguments[1];
        if (isSecret(name, attribute)) {
            throw new SecurityException(
                    "the attribute " + attribute + " of " + name + " is not served over JMX" + RULES);
        }
        return masked(name, attribute, forward(method, arguments));
    }

    /** Reads several attributes. As JMX specifies, attributes that cannot be read are left out. */
    private Object attributes(Method method, Object[] arguments) throws Throwable {
        ObjectName name = (ObjectName) arguments[0];
        refuseHidden(name);
        String[] wanted = Arrays.stream((String[]) arguments[1])
                .filter(attribute -> !isSecret(name, attribute))
                .toArray(String[]::new);
        AttributeList answer = new AttributeList();
        for (Attribute found : ((AttributeList) forward(method, new Object[] {name, wanted})).asList()) {
            answer.add(new Attribute(found.getName(), masked(name, found.getName(), found.getValue())));
        }
        return answer;
    }

    private static boolean isSecret(ObjectName name, String attribute) {
        return RUNTIME.equals(name) && SYSTEM_PROPERTIES.equals(attribute);
    }

    private static Object masked(ObjectName name, String attribute, Object value) {
        if (!RUNTIME.equals(name) || !ARGUMENTS.equals(attribute)) {
            return value;
        }
        return Arrays.stream((String[]) value)
                .map(argument -> SECRET.matcher(argument).replaceFirst("$1…"))
                .toArray(String[]::new);
    }

    private static ObjectName name(String text) {
        try {
            return new ObjectName(text);
        } catch (MalformedObjectNameException e) {
            throw new IllegalStateException("Not a valid MBean name pattern: " + text, e);
        }
    }
}
