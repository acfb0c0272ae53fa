package io.twinbell.client;

/** What happens if a task of the name exists and will still fire. */
public enum IfTaskExists {
    /** The call fails with {@link TaskRefusedException}, status 409. */
    REFUSE,
    /** That task stays as it is. */
    KEEP,
    /** The new definition replaces it. A delay starts again. */
    REPLACE
}
