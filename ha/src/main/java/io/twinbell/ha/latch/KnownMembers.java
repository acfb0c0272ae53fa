package io.twinbell.ha.latch;

import io.twinbell.persistence.cluster.MemberRegister;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which entries and sessions in ZooKeeper belong to nodes of this database. It keeps the database's last
 * answer, so a node that loses the database still recognises the other node. Any thread.
 */
public final class KnownMembers {
    private EntrySeal seal;
    private Set<Long> ownerSessions = Set.of();

    /** Reads the current members from the database. */
    public void refresh(MemberRegister register) {
        MemberRegister.ClusterEntry clusterEntry = register.read();
        add(clusterEntry.entryKey(), clusterEntry.ownerSessions());
    }

    synchronized void add(String entryKey, Set<Long> sessions) {
        seal = new EntrySeal(entryKey);
        ownerSessions = Set.copyOf(sessions);
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

    /** Whether a node of this database wrote the entry. */
    synchronized boolean isOurs(NodeEntry entry, long session) {
        return seal != null && seal.fits(entry.seal(), entry.peer(), session);
    }
}
