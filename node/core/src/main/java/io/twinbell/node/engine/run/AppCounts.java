package io.twinbell.node.engine.run;

/** Counts what the engine did for each app. Called for every attempt, so it must return at once. */
public interface AppCounts {
    /** Counts nothing. */
    AppCounts NONE = new AppCounts() {
        @Override
        public void ended(String app, String state) {}

        @Override
        public void late(String app, long micros) {}

        @Override
        public void took(String app, long micros) {}

        @Override
        public void missed(String app, long slots) {}
    };

    /** Counts the end of an attempt. */
    void ended(String app, String state);

    /** Records how late an attempt began. */
    void late(String app, long micros);

    /** Records how long an attempt took. */
    void took(String app, long micros);

    /** Counts slots that were missed. */
    void missed(String app, long slots);
}
