package io.twinbell.node.jmx;

/** Receives each refusal of the JMX server. No method may block. */
public interface JmxRefusals {
    /** A connection was closed at once. */
    void connection(JmxCaller client, String why);

    /**
     * A client called an operation that it may not call. Refused reads are not reported: jconsole tries them with each
     * MBean.
     */
    void call(JmxCaller caller, String operation, String why);
}
