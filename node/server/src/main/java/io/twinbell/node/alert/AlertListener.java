package io.twinbell.node.alert;

/** Receives alerts on this node, independently of the webhook, so that alerts whose webhook fails are visible too. */
public interface AlertListener {
    /** A delivery is about to be sent. */
    void onAlert(String alert, String key, String summary, long events);

    /** The last attempt of a delivery has failed. */
    void givenUp(String alert, String key, String summary, String error);
}
