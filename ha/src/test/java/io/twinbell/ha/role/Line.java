package io.twinbell.ha.role;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.Latch;
import java.util.ArrayList;
import java.util.List;

/** The election without ZooKeeper: the order of the latch nodes, and what each node can see of it. */
final class Line {
    private final List<Place> standing = new ArrayList<>();
    private long nextCzxid = 100;

    /** A node's place in the election. Like Curator's recipe, it does not notice if another client deletes its node. */
    final class Place implements Latch {
        private final String node;
        private final List<String> calls;
        private boolean entered;
        private boolean isCutOff;
        private boolean isSlow;
        private boolean believesToHold;
        private long czxid;

        private Place(String node, List<String> calls) {
            this.node = node;
            this.calls = calls;
        }

        @Override
        public Election readElection() {
            if (isCutOff) {
                return Election.UNREACHABLE;
            }
            boolean stands = standing.contains(this);
            boolean isFirst = stands && (believesToHold || standing.get(0) == this);
            return new Election(true, stands, isFirst, 1, stands ? czxid : 0, names());
        }

        @Override
        public void enter() {
            calls.add("enter the line");
            if (!entered) {
                entered = true;
                czxid = nextCzxid++;
                if (!isSlow) {
                    standing.add(this);
                }
            }
        }

        @Override
        public void removePredecessors() {
            standing.removeIf(place -> place != this && place.node.equals(node));
        }

        @Override
        public void leave() {
            calls.add("leave the latch");
            entered = false;
            standing.remove(this);
        }

        /** Deletes the node without a notification. */
        void isDeletedByHand() {
            standing.remove(this);
        }

        /** Delays the creation of the node in ZooKeeper. */
        void isMadeSlowly() {
            isSlow = true;
        }

        void isCutOff(boolean cutOff) {
            isCutOff = cutOff;
        }

        /** Makes it believe that it holds the latch although another is first, as after a bug of the recipe. */
        void believesToHold() {
            believesToHold = true;
        }
    }

    Place place(String node, List<String> calls) {
        return new Place(node, calls);
    }

    List<String> names() {
        return standing.stream().map(place -> place.node).toList();
    }
}
