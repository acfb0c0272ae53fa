package io.twinbell.node.handler.call;

import java.util.concurrent.Callable;

/** Runs code of a plugin or program with its own class loader as the context class loader, as libraries expect. */
public final class OwnClassLoader {
    private OwnClassLoader() {}

    /** @param owner an object of the code's own class */
    public static <T> T call(Object owner, Callable<T> code) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(owner.getClass().getClassLoader());
        try {
            return code.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
