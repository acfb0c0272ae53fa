package io.twinbell.node.memory;

/** Learns of changes, as a node does by notifications of the database. */
public interface TableListener {
    /** For times without a master. */
    TableListener NONE = new TableListener() {
        @Override
        public void taskChanged(long id) {}

        @Override
        public void ledgerChanged() {}

        @Override
        public void limitsChanged() {}

        @Override
        public void calendarsChanged() {}
    };

    void taskChanged(long id);

    /** Waiting rows or skipped slots were entered. */
    void ledgerChanged();

    void limitsChanged();

    void calendarsChanged();
}
