package io.twinbell.spring;

import io.twinbell.handler.TaskContext;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

/**
 * A method of a bean with at most one payload and one context as parameters. The bean is looked up for each call, so that
 * lazy beans, scopes and proxies (of {@code @Transactional}, for example) work as in any other call.
 *
 * @param payload the index of the payload's parameter; -1 if there is none
 * @param context the index of the context's parameter; -1 if there is none
 */
record BeanMethod(BeanFactory beans, String beanName, Method method, int payload, int context) {
    /** @throws StartRefusedException if the parameters are not as described */
    static BeanMethod of(BeanFactory beans, String beanName, Method method) {
        int payload = -1;
        int context = -1;
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            boolean isContext = TaskContext.class.isAssignableFrom(types[i]);
            if (isContext ? context >= 0 : payload >= 0) {
                throw new StartRefusedException(
                        describe(beanName, method)
                                + " must have at most one parameter for the payload and one of type TaskContext",
                        "Combine several values in one record.",
                        null);
            }
            if (isContext) {
                context = i;
            } else {
                payload = i;
                refuseLostType(method.getGenericParameterTypes()[i], beanName, method);
            }
        }
        return new BeanMethod(beans, beanName, method, payload, context);
    }

    /**
     * Refuses a parameter whose type has parameters of its own. A payload is read by its class alone, so the elements
     * of a {@code List<Invoice>} would be maps.
     */
    private static void refuseLostType(Type type, String beanName, Method method) {
        if (type instanceof ParameterizedType generic) {
            for (Type argument : generic.getActualTypeArguments()) {
                if (argument instanceof Class<?> element && !element.getName().startsWith("java.")) {
                    throw new StartRefusedException(
                            describe(beanName, method) + " takes a " + type.getTypeName()
                                    + ", whose elements have no type when a payload is read",
                            "Take an array, or a record that contains it.",
                            null);
                }
            }
        }
    }

    /** Returns null if there is none. */
    Class<?> payloadType() {
        return payload < 0 ? null : method.getParameterTypes()[payload];
    }

    Class<?> contextType() {
        return context < 0 ? TaskContext.class : method.getParameterTypes()[context];
    }

    Object call(Object payloadValue, TaskContext contextValue) throws Exception {
        Object[] arguments = new Object[method.getParameterCount()];
        if (payload >= 0) {
            arguments[payload] = payloadValue;
        }
        if (context >= 0) {
            arguments[context] = contextValue;
        }
        Object bean = beans.getBean(beanName);
        Method invocable = invocable(bean);
        ReflectionUtils.makeAccessible(invocable);
        try {
            return invocable.invoke(bean, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** @throws StartRefusedException if the bean is a proxy that cannot pass calls of this method on */
    void requireInvocable() {
        try {
            invocable(beans.getBean(beanName));
        } catch (IllegalStateException e) {
            throw new StartRefusedException(
                    e.getMessage(),
                    "The bean is a proxy, for example because it is @Transactional. Make the method neither private nor"
                            + " final, or move it to a bean that is no proxy.",
                    e);
        }
    }

    /**
     * A proxy by subclass has no fields of its own, and passes on only what it can override. So a private or final method, or
     * one that only its own package sees, would run on the proxy itself.
     */
    private Method invocable(Object bean) {
        try {
            if (AopUtils.isCglibProxy(bean) && !Modifier.isStatic(method.getModifiers())) {
                bean.getClass().getDeclaredMethod(method.getName(), method.getParameterTypes());
            }
            return AopUtils.selectInvocableMethod(method, bean.getClass());
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(this + " cannot be called through the proxy of its bean", e);
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    this + " cannot be called through the proxy of its bean: " + e.getMessage(), e);
        }
    }

    private static String describe(String beanName, Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName() + " of the bean \"" + beanName + "\"";
    }

    @Override
    public String toString() {
        return describe(beanName, method);
    }
}
