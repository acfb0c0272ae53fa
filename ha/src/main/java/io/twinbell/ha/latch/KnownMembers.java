package io.twinbell.ha.latch;

import io.twinbell.persistence.cluster.MemberRegister;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Decides which entries and sessions in ZooKeeper belong to nodes of this database. It keeps the database's last
 * answer, so a node that loses the database still recognises the other node. Any thread.
 */
public final class KnownMembers {
    /** Bound on remembered processes and on entries looked up at once; a pair has two. */
    private static final int LIMIT = 64;

    /** One process of a node. */
    private record RegisteredProcess(String node, UUID incarnation) {}

    private EntrySeal seal;
    private Set<Long> ownerSessions = Set.of();
    private final Set<RegisteredProcess> ofAnEarlierBuild = new HashSet<>();
    private final Set<RegisteredProcess> unsealed = new LinkedHashSet<>();
    private final Set<String> sealing = new LinkedHashSet<>();

    /** Reads the current members from the database. */
    public void refresh(MemberRegister register) {
        MemberRegister.ClusterEntry clusterEntry = register.read();
        add(clusterEntry.entryKey(), clusterEntry.ownerSessions());
        for (RegisteredProcess process : takeUnsealed()) {
            judge(process, register.isFromEarlierBuild(process.node(), process.incarnation()));
        }
    }

    synchronized void add(String entryKey, Set<Long> sessions) {
        seal = new EntrySeal(entryKey);
        ownerSessions = Set.copyOf(sessions);
    }

    private synchronized Set<RegisteredProcess> takeUnsealed() {
        Set<RegisteredProcess> taken = Set.copyOf(unsealed);
        unsealed.clear();
        return taken;
    }

    private synchronized void judge(RegisteredProcess process, boolean isOfAnEarlierBuild) {
        if (isOfAnEarlierBuild && ofAnEarlierBuild.size() < LIMIT) {
            ofAnEarlierBuild.add(process);
        } else {
            ofAnEarlierBuild.remove(process);
        }
    }

    /** Whether the owner of the latest epoch has recorded this session. */
    public synchronized boolean isOwner(long session) {
        return ownerSessions.contains(session);
    }

    /** This node's entry as written under its session; unsealed until the database has answered once. */
    synchronized NodeEntry entry(Peer peer, long session) {
        return new NodeEntry(peer, seal == null ? "" : seal.of(peer, session));
    }

    /** The seal of a text without a line break; empty until the database has answered once. */
    public synchronized Optional<String> seal(String text) {
        return seal == null ? Optional.empty() : Optional.of(seal.of(text));
    }

    /** Whether a node of this database sealed the text. */
    public synchronized boolean hasSealed(String text, String sealOfText) {
        return seal != null && seal.fits(sealOfText, text);
    }

    /**
     * Whether a node of this database wrote the entry. An entry without a seal is believed only for a process of an
     * earlier build that the database knows; whether the database knows it is looked up at the next {@link #refresh}.
     */
    synchronized boolean isOurs(NodeEntry entry, long session) {
        Peer peer = entry.peer();
        if (seal == null) {
            return false;
        }
        if (!entry.seal().isEmpty()) {
            boolean fits = seal.fits(entry.seal(), peer, session);
            if (fits && sealing.add(peer.incarnation()) && sealing.size() > LIMIT) {
                sealing.remove(sealing.iterator().next());
            }
            return fits;
        }
        // If a process seals its entry, an entry without a seal under its name was written by another client.
        return !sealing.contains(peer.incarnation()) && isFromEarlierBuild(peer);
    }

    private boolean isFromEarlierBuild(Peer peer) {
        try {
            RegisteredProcess process = new RegisteredProcess(peer.node(), UUID.fromString(peer.incarnation()));
            if (unsealed.size() < LIMIT) {
                unsealed.add(process);
            }
            return ofAnEarlierBuild.contains(process);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
