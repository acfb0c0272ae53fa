package io.twinbell.node.handler.jvm;

import io.twinbell.handler.HandlerPlugin;
import io.twinbell.schedule.ScheduleType;
import java.net.URL;
import java.net.URLClassLoader;

/**
 * Loads the classes of one plugin jar. The jar sees the APIs of handlers and schedules, SLF4J and the JDK, and
 * nothing else of the node.
 */
final class PluginLoader extends URLClassLoader {
    PluginLoader(String name, URL jar) {
        super(name, new URL[] {jar}, new Api());
    }

    private static final class Api extends ClassLoader {
        private static final String HANDLERS = HandlerPlugin.class.getPackageName() + ".";
        private static final String SCHEDULES = ScheduleType.class.getPackageName() + ".";

        Api() {
            super(ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith(HANDLERS) || name.startsWith(SCHEDULES) || name.startsWith("org.slf4j.")) {
                return HandlerPlugin.class.getClassLoader().loadClass(name);
            }
            throw new ClassNotFoundException(name);
        }
    }
}
