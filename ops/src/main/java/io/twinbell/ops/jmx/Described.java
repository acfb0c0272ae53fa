package io.twinbell.ops.jmx;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import javax.management.DescriptorKey;

/**
 * The sentence that a JMX client shows for an MBean, an attribute, an operation or a parameter of one. Public because the
 * platform reads it.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.PARAMETER})
public @interface Described {
    @DescriptorKey(DescribedBean.DESCRIPTION)
    String value();

    /** What a number counts or measures, {@code ms} for one; clients show it beside the value. */
    @DescriptorKey(DescribedBean.UNITS)
    String units() default "";

    /** Only for parameters: the name that a client's dialog shows beside the input field. */
    @DescriptorKey(DescribedBean.PARAMETER_NAME)
    String name() default "";
}
