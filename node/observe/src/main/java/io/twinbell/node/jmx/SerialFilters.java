package io.twinbell.node.jmx;

import java.util.List;

/**
 * Serialization filters of the JMX connector: they admit the types of JMX's own calls and no other class of the class
 * path. The filters act before an object is created.
 */
final class SerialFilters {
    /** A name and a password, which nobody asks for, but clients may send. */
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
            // For arrays of arguments; an Object itself cannot be serialised.
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
            // Every listener comes with an array of Subjects, each null. The types that a Subject contains are not
            // admitted.
            "javax.security.auth.Subject");

    /** Types of the calls and of their marshalled arguments. Query expressions are not admitted. */
    static final String CALLS =
            "maxdepth=10;maxarray=65536;maxrefs=10000;maxbytes=1048576;" + String.join(";", TYPES) + ";!*";

    private SerialFilters() {}
}
