package io.twinbell.node.alert;

/** Who else is told, on this node: what a webhook could not bring is heard here too. */
public interface AlertListener {
    /** A delivery is about to be sent. */
    void rings(String alert, String key, String summary, long events);

    /** The last attempt of a delivery has failed. */
    void givenUp(String alert, String key, String summary, String error);
}
