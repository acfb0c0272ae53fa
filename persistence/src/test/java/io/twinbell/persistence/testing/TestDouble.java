package io.twinbell.persistence.testing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Answers the calls of an interface of which a test uses, or changes, a few methods. */
@FunctionalInterface
public interface TestDouble {
    Object answer(Method method, Object[] arguments) throws Throwable;

    /** What a call of the real object throws, its double throws too. */
    static <T> T of(Class<T> type, TestDouble answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return answers.answer(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
