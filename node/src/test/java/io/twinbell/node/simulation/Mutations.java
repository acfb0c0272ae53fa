package io.twinbell.node.simulation;

import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.Peers;
import io.twinbell.ha.role.MasterDuties;
import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.memory.MemoryRow;
import io.twinbell.node.simulation.SimulatedFaults.Kind;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.claim.ClaimOutcome;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.DueTasks.HeapPage;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.record.Recorder;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Protocols with one error each. The simulation must find every one of them. */
final class Mutations {
    static final Map<String, Supplier<Mutation>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("no statement compares the epoch", NoGuard::new);
        ALL.put("the epoch's number is compared, its owner token is not", NoToken::new);
        ALL.put("old claims are settled before the epoch is opened", SettlesFirst::new);
        ALL.put("a resigning master ends the drain of its predecessor", EndsOlderDrains::new);
        ALL.put("a start check takes old authority for good", StartsOnOldTrust::new);
        ALL.put("a sleep during which the wall clock was put back is not noticed", TakesTheWallClocksWord::new);
        ALL.put("a successor does not wait for the end of its predecessor's trust", SettlesAtOnce::new);
        ALL.put("a node that believes it holds the latch may write", LatchAlone::new);
        ALL.put("a slot is claimed when it has been run", ClaimsAfterRun::new);
        ALL.put("ids notified during the rebuild scan are forgotten", ForgetsDuringScan::new);
        ALL.put("what a node said before the database was lost is believed", GoesByOldWords::new);
        ALL.put("a claim without an answer is taken for none", TakesNoAnswerForNo::new);
        ALL.put("what is overdue is missed before its threshold has passed", SimulatedEntries.MissesInTime::new);
        ALL.put("a slot is skipped though no other run is under way", SimulatedEntries.SkipsForNothing::new);
        ALL.put("a retry is looked for long after it is due", SimulatedEntries.RetriesLate::new);
        ALL.put("a claim whose commit the replica may lack is trusted", TrustsUnanswered::new);
        ALL.put("a former primary is taken for its successor", TakesFormerPrimary::new);
        ALL.put("what a promoted server lacks is not entered again", EntersNothingAgain::new);
    }

    private Mutations() {}

    static Mutation named(String name) {
        return ALL.entrySet().stream()
                .filter(entry -> entry.getKey().contains(name))
                .findFirst()
                .orElseThrow()
                .getValue()
                .get();
    }

    /** The same port, except for the methods that {@code instead} has. */
    static <T> T but(Class<T> port, T real, Object instead) {
        return port.cast(Proxy.newProxyInstance(
                port.getClassLoader(), new Class<?>[] {port}, (proxy, method, given) -> {
                    try {
                        try {
                            var other =
                                    instead.getClass().getDeclaredMethod(method.getName(), method.getParameterTypes());
                            other.setAccessible(true);
                            return other.invoke(instead, given);
                        } catch (NoSuchMethodException e) {
                            return method.invoke(real, given);
                        }
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static final class NoGuard extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.FREEZE, Kind.EXPIRE_SESSION, Kind.DECEIVE, Kind.CUT_ZOOKEEPER);
        }

        @Override
        void prepare(Machine.Scene scene) {
            scene.database().tables.guardedBy(new Tables.Guard() {
                @Override
                public boolean isOwner(Epoch of, Process writer) {
                    return of.number() > 0;
                }

                @Override
                public boolean isOwnerOrDrains(Epoch of, Process writer) {
                    return of.number() > 0;
                }
            });
        }
    }

    private static final class NoToken extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.FAIL_OVER_DATABASE, Kind.RESIGN);
        }

        @Override
        void prepare(Machine.Scene scene) {
            Tables tables = scene.database().tables;
            tables.guardedBy(new Tables.Guard() {
                @Override
                public boolean isOwner(Epoch of, Process writer) {
                    return tables.epoch.number == of.number() && !tables.epoch.resigned;
                }

                @Override
                public boolean isOwnerOrDrains(Epoch of, Process writer) {
                    return tables.epoch.number == of.number() || tables.drains(of.number());
                }
            });
        }
    }

    private static final class SettlesFirst extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.EXPIRE_SESSION, Kind.DEAFEN);
        }

        @Override
        EpochRegister register(EpochRegister real, Place place) {
            return but(EpochRegister.class, real, new Object() {
                @SuppressWarnings("unused")
                Optional<Epoch> open(long expected, Claimant claimant, String reason) {
                    Tables tables = place.scene().database().tables;
                    long now = place.scene().database().nowMillis();
                    tables.openRows()
                            .filter(row -> row.isClaimed() && row.slot.fireTimeMillis() <= now)
                            .forEach(row -> settle(tables, row, now));
                    place.scene().world().pass(World.MILLI, () -> false, place.process());
                    return real.open(expected, claimant, reason);
                }
            });
        }

        private static void settle(Tables tables, MemoryRow row, long now) {
            String definition = tables.definition(row.slot.taskId());
            boolean reruns = definition != null && definition.contains("RERUN");
            row.state = reruns ? ExecutionState.PENDING : ExecutionState.DROPPED;
            row.attempt += reruns ? 1 : 0;
            row.inTurn = reruns;
            row.reason = "settled before its time";
            row.endedMillis = reruns ? null : now;
        }
    }

    private static final class EndsOlderDrains extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.RESIGN_TWICE);
        }

        @Override
        EpochRegister register(EpochRegister real, Place place) {
            return but(EpochRegister.class, real, new Object() {
                @SuppressWarnings("unused")
                boolean resign(Epoch epoch, Duration drain) {
                    place.scene().database().tables.epoch.drains.removeIf(older -> older.epoch() != epoch.number());
                    return real.resign(epoch, drain);
                }
            });
        }
    }

    private static final class StartsOnOldTrust extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.FREEZE, Kind.SLEEP);
        }

        @Override
        EpochRegister gateRegister(EpochRegister real, Place place) {
            return but(EpochRegister.class, real, new Object() {
                @SuppressWarnings("unused")
                boolean confirm(Epoch epoch) {
                    return true;
                }
            });
        }
    }

    private static final class TakesTheWallClocksWord extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.SLEEP_HIDDEN);
        }

        @Override
        Ticker uptime(Process process) {
            return process.ticker();
        }
    }

    private static final class SettlesAtOnce extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.DEAFEN);
        }

        @Override
        MasterDuties duties(MasterDuties real, Place place) {
            return but(MasterDuties.class, real, new Object() {
                @SuppressWarnings("unused")
                void take(Epoch epoch, Predecessor predecessor) {
                    real.take(epoch, Predecessor.over(predecessor.epoch()));
                }
            });
        }
    }

    private static final class LatchAlone extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.DECEIVE, Kind.DEAFEN, Kind.FREEZE);
        }

        private final Map<Process, ZooKeeperClient> clients = new HashMap<>();

        @Override
        void joins(Place place) {
            clients.put(place.process(), place.zooKeeper());
        }

        @Override
        void prepare(Machine.Scene scene) {
            scene.database().tables.guardedBy(new Tables.Guard() {
                @Override
                public boolean isOwner(Epoch of, Process writer) {
                    return of.number() > 0 && clients.get(writer).believesToHold();
                }

                @Override
                public boolean isOwnerOrDrains(Epoch of, Process writer) {
                    return of.number() > 0;
                }
            });
        }
    }

    private static final class ClaimsAfterRun extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.KILL);
        }

        private final Map<Slot, Runnable> claimsToCome = new HashMap<>();

        @Override
        Ledger ledger(Ledger real, Place place) {
            return but(Ledger.class, real, new Object() {
                @SuppressWarnings("unused")
                ClaimOutcome claim(Epoch epoch, long batch, List<DecidedSlot> claims) {
                    if (claims.isEmpty()) {
                        return real.claim(epoch, batch, claims);
                    }
                    claims.forEach(
                            claim -> claimsToCome.put(claim.slot(), () -> real.claim(epoch, batch, List.of(claim))));
                    Set<Long> all =
                            claims.stream().map(DecidedSlot::taskId).collect(Collectors.toCollection(HashSet::new));
                    return new ClaimOutcome(true, all, all, Set.of());
                }
            });
        }

        @Override
        Recorder recorder(Recorder real, Place place) {
            return but(Recorder.class, real, new Object() {
                @SuppressWarnings("unused")
                List<Completion> record(Epoch epoch, List<Completion> completions) {
                    completions.forEach(completion -> Optional.ofNullable(claimsToCome.remove(completion.slot()))
                            .ifPresent(Runnable::run));
                    return real.record(epoch, completions);
                }
            });
        }
    }

    private static final class ForgetsDuringScan extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.RESIGN).moving(24, 30);
        }

        private final Set<Process> scanning = new HashSet<>();

        @Override
        void prepare(Machine.Scene scene) {
            scene.database().weather().longScans(1);
        }

        @Override
        DueTasks dueTasks(DueTasks real, Place place) {
            return but(DueTasks.class, real, new Object() {
                @SuppressWarnings("unused")
                HeapPage page(long afterFireMillis, long afterTaskId, int limit) {
                    scanning.add(place.process());
                    try {
                        return real.page(afterFireMillis, afterTaskId, limit);
                    } finally {
                        scanning.remove(place.process());
                    }
                }
            });
        }

        @Override
        boolean forgets(Process process, String channel) {
            return scanning.contains(process) && channel.equals("task");
        }
    }

    private static final class GoesByOldWords extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.KILL, Kind.CRASH_DATABASE);
        }

        @Override
        Peers peers(Peers real, Place place) {
            return but(Peers.class, real, new Object() {
                @SuppressWarnings("unused")
                List<Peer> others() {
                    return real.others().stream()
                            .map(said -> new Peer(
                                    said.node(),
                                    said.incarnation(),
                                    said.role(),
                                    said.http(),
                                    said.jmx(),
                                    said.version(),
                                    said.app(),
                                    new Peer.ReachReport(
                                            said.databaseReached(),
                                            said.database().asks(),
                                            place.zooKeeper().asks())))
                            .toList();
                }
            });
        }
    }

    private static final class TakesNoAnswerForNo extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.END_SESSIONS).losing(0.05);
        }

        @Override
        Ledger ledger(Ledger real, Place place) {
            return but(Ledger.class, real, new Object() {
                @SuppressWarnings("unused")
                Set<Long> enteredInBatch(Epoch epoch, long batch, List<DecidedSlot> claims) {
                    return Set.of();
                }
            });
        }
    }

    private static final class TrustsUnanswered extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.CANCEL_WAITS);
        }

        @Override
        void prepare(Machine.Scene scene) {
            scene.database().replica().leaveOutBarriers();
        }
    }

    private static final class TakesFormerPrimary extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.LEAD_TO_FORMER);
        }

        @Override
        SimulatedHistory history(SimulatedReplica servers) {
            return new SimulatedHistory(servers) {
                @Override
                boolean admits(int timeline) {
                    return true;
                }
            };
        }
    }

    private static final class EntersNothingAgain extends Mutation {
        @Override
        Trouble trouble() {
            return Trouble.of(Kind.PROMOTE_LAGGING);
        }

        @Override
        boolean entersAgain() {
            return false;
        }
    }
}
