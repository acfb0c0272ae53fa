package io.twinbell.node.jmx;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import javax.management.DescriptorKey;

/**
 * Description of an MBean, attribute, operation or parameter, as a JMX client shows it. Public because the platform
 * reads it.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.PARAMETER})
public @interface Described {
    @DescriptorKey(ManagementBeans.DESCRIPTION)
    String value();

    /** The unit of a number, by JMX's standard descriptor field, such as {@code ms}. Clients show it beside the value. */
    @DescriptorKey("units")
    String units() default "";

    /** The name of a parameter, which a client's dialog shows beside the input field. For parameters only. */
    @DescriptorKey(ManagementBeans.PARAMETER_NAME)
    String name() default "";
}
