package io.twinbell.node.jmx;

import javax.management.DescriptorRead;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.NotificationEmitter;
import javax.management.StandardEmitterMBean;

/** MBean whose descriptions come from {@link Described} annotations on the view's interface. */
final class DescribedBean extends StandardEmitterMBean {
    static final String DESCRIPTION = "description";
    /** The name of JMX's standard descriptor field for units. */
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

    /**
     * Reports ACTION for an operation. The platform's default is UNKNOWN, and a client warns only about operations that
     * act.
     */
    @Override
    protected int getImpact(MBeanOperationInfo info) {
        return MBeanOperationInfo.ACTION;
    }

    private static String field(DescriptorRead described, String key) {
        return (String) described.getDescriptor().getFieldValue(key);
    }
}
