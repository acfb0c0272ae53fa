package io.twinbell.ha.role;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.Latch;
import java.util.ArrayList;
import java.util.List;

/** The election without ZooKeeper: who stands in line, and what each node can see of it. */
final class Line {
    private final List<Place> standing = new ArrayList<>();
    private long nextCzxid = 100;

    /** A node's place; like Curator's recipe, it does not notice that another client deleted its node. */
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
        public void leave() {
            calls.add("leave the latch");
            entered = false;
            standing.remove(this);
        }

        /** Its node is deleted without a notification. */
        void isDeletedByHand() {
            standing.remove(this);
        }

        /** ZooKeeper takes its time to make this node's entry. */
        void isMadeSlowly() {
            isSlow = true;
        }

        void isCutOff(boolean cutOff) {
            isCutOff = cutOff;
        }

        /** As after a bug of the recipe: it believes that it is the holder, although another is first. */
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
