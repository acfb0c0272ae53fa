package io.twinbell.ops.jmx;

import java.util.List;

/**
 * What the JMX connector deserialises: the types of JMX's own calls, and nothing that a class path may hold beside them.
 * The filters act before an object is made, so also before the connector knows who calls.
 */
final class SerialFilters {
    /** A name and a password. */
    static final String CREDENTIALS = "maxdepth=3;maxarray=8;maxrefs=16;maxbytes=8192;java.lang.String;!*";

    private static final List<String> TYPES = List.of(
            "java.lang.String",
            "java.lang.Boolean",
            "java.lang.Number",
            "java.lang.Byte",
            "java.lang.Short",
            "java.lang.Integer",
            "java.lang.Long",
            "java.lang.Float",
            "java.lang.Double",
            "java.lang.Character",
            // Arrays of arguments; an Object itself cannot be serialised.
            "java.lang.Object",
            "java.rmi.MarshalledObject",
            "javax.management.ObjectName",
            // Setting attributes is refused later, with a message that says so.
            "javax.management.Attribute",
            "javax.management.AttributeList",
            "java.util.ArrayList",
            "javax.management.NotificationFilterSupport",
            "javax.management.AttributeChangeNotificationFilter",
            "javax.management.relation.MBeanServerNotificationFilter",
            "java.util.Vector",
            // An array of them, each null, comes with every listener; what a Subject consists of is not among these
            // types.
            "javax.security.auth.Subject");

    /** What comes with a call, also inside its marshalled arguments. Query expressions are not among it. */
    static final String CALLS =
            "maxdepth=10;maxarray=65536;maxrefs=10000;maxbytes=1048576;" + String.join(";", TYPES) + ";!*";

    private SerialFilters() {}
}
