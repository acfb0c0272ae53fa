package io.twinbell.ops.jmx;

import javax.management.DescriptorRead;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.NotificationEmitter;
import javax.management.StandardEmitterMBean;

/** An MBean that says what it shows: its descriptions come from {@link Described} on the view's interface. */
final class DescribedBean extends StandardEmitterMBean {
    static final String DESCRIPTION = "description";
    /** The field by which JMX itself knows units. */
    static final String UNITS = "units";

    static final String PARAMETER_NAME = "parameterName";

    <V> DescribedBean(V view, Class<V> contract, NotificationEmitter emitter) {
        super(view, contract, emitter);
    }

    @Override
    protected String getDescription(MBeanInfo info) {
        return field(info, DESCRIPTION);
    }

    @Override
    protected String getDescription(MBeanAttributeInfo info) {
        return field(info, DESCRIPTION);
    }

    @Override
    protected String getDescription(MBeanOperationInfo info) {
        return field(info, DESCRIPTION);
    }

    @Override
    protected String getDescription(MBeanOperationInfo operation, MBeanParameterInfo parameter, int sequence) {
        return field(parameter, DESCRIPTION);
    }

    @Override
    protected String getParameterName(MBeanOperationInfo operation, MBeanParameterInfo parameter, int sequence) {
        return field(parameter, PARAMETER_NAME);
    }

    /** An operation's effect is unknown to the platform, and a client warns only about those that act. */
    @Override
    protected int getImpact(MBeanOperationInfo info) {
        return MBeanOperationInfo.ACTION;
    }

    private static String field(DescriptorRead described, String key) {
        return (String) described.getDescriptor().getFieldValue(key);
    }
}
