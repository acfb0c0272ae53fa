package io.twinbell.embedded;

import java.lang.reflect.Method;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.AbstractLogger;

/**
 * Takes the place of SLF4J's {@code LoggerFactory} for all classes of the jar: the build renames their references. The
 * libraries in the jar, whose loggers begin with {@code io.twinbell.shaded}, log what is below WARN at TRACE. An
 * application did not choose them, and ZooKeeper alone would add more than twenty lines to its log. The node's own loggers
 * are the application's, unchanged.
 */
public final class LibraryLoggers {
    private static final String LIBRARIES = "io.twinbell.shaded.";

    /** Found by its name, which is assembled here: the build would rename it too. */
    private static final Method FACTORY = factoryMethod(String.join(".", "org", "slf4j", "LoggerFactory"));

    private LibraryLoggers() {}

    /** Returns the logger of this class. */
    public static Logger getLogger(Class<?> type) {
        return getLogger(type.getName());
    }

    /** Returns the logger of this name. */
    public static Logger getLogger(String name) {
        Logger logger = getILoggerFactory().getLogger(name);
        return name.startsWith(LIBRARIES) ? new QuietLogger(logger) : logger;
    }

    /** Returns the application's factory, which SLF4J may replace while it starts. */
    public static ILoggerFactory getILoggerFactory() {
        try {
            return (ILoggerFactory) FACTORY.invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("SLF4J does not return its loggers", e);
        }
    }

    private static Method factoryMethod(String factory) {
        try {
            return Class.forName(factory).getMethod("getILoggerFactory");
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("SLF4J has no " + factory, e);
        }
    }

    /** Logs what is below WARN at TRACE. */
    private static final class QuietLogger extends AbstractLogger {
        private static final long serialVersionUID = 1L;

        private final transient Logger logger;

        QuietLogger(Logger logger) {
            this.logger = logger;
            name = logger.getName();
        }

        private Level level(Level level) {
            boolean isLoud = level == Level.ERROR && !isCurator() || level == Level.WARN && !isOfZooKeeper();
            return isLoud ? level : Level.TRACE;
        }

        /** Without ZooKeeper its client and Curator warn at each try. The node says it itself, once a minute. */
        private boolean isOfZooKeeper() {
            return isCurator() || name.startsWith(LIBRARIES + "org.apache.zookeeper.");
        }

        private boolean isCurator() {
            return name.startsWith(LIBRARIES + "org.apache.curator.");
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level, Marker marker, String message, Object[] arguments, Throwable thrown) {
            var event = logger.atLevel(level(level)).setCause(thrown);
            if (marker != null) {
                event = event.addMarker(marker);
            }
            if (arguments != null) {
                for (Object argument : arguments) {
                    event = event.addArgument(argument);
                }
            }
            event.log(message);
        }

        /** The place in the code is not passed on: it would be in this class. */
        @Override
        protected String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        public boolean isTraceEnabled() {
            return logger.isTraceEnabled();
        }

        @Override
        public boolean isTraceEnabled(Marker marker) {
            return logger.isTraceEnabled(marker);
        }

        @Override
        public boolean isDebugEnabled() {
            return logger.isTraceEnabled();
        }

        @Override
        public boolean isDebugEnabled(Marker marker) {
            return logger.isTraceEnabled(marker);
        }

        @Override
        public boolean isInfoEnabled() {
            return logger.isTraceEnabled();
        }

        @Override
        public boolean isInfoEnabled(Marker marker) {
            return logger.isTraceEnabled(marker);
        }

        @Override
        public boolean isWarnEnabled() {
            return isOfZooKeeper() ? logger.isTraceEnabled() : logger.isWarnEnabled();
        }

        @Override
        public boolean isWarnEnabled(Marker marker) {
            return isOfZooKeeper() ? logger.isTraceEnabled(marker) : logger.isWarnEnabled(marker);
        }

        @Override
        public boolean isErrorEnabled() {
            return isCurator() ? logger.isTraceEnabled() : logger.isErrorEnabled();
        }

        @Override
        public boolean isErrorEnabled(Marker marker) {
            return isCurator() ? logger.isTraceEnabled(marker) : logger.isErrorEnabled(marker);
        }
    }
}
