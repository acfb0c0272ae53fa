------------------------------ MODULE Protocol ------------------------------
(* Who is master, and what a master may do: the rules of DESIGN.md, for a pair of nodes that crash, freeze and are cut off. *)
(* PostgreSQL and ZooKeeper each do one thing at a time. README.md in this folder says what is left out.                    *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    Nodes, Slots,
    Rerun,      \* those of the slots whose orphan policy is RERUN; the others are dropped
    Faults,     \* how many faults, and switchovers by hand, may happen
    Window,     \* whether a process may be frozen between its start check and the first byte of its call
    Receiver,   \* the receiver of the calls: "nothing" (not modelled), "no memory", or "memory"
    Mutation    \* which rule is broken on purpose; "none" for the protocol as it is

VARIABLES
    epoch, owner, resigned, draining, ledger,       \* PostgreSQL: the epoch row, and a row for each slot
    line,                                           \* ZooKeeper: whose sessions stand in the election, first in line first
    life, db, zk,                                   \* is each process up, paused or dead; does it reach the servers
    seen, mine, trust, waiting, cleared, running,   \* what each process remembers
    left, started, broken,                          \* what may still go wrong; the latest start of a slot, and what was wrong
    receiver                                        \* the other end of the calls: how often each slot took effect; the greatest epoch

row == <<epoch, owner, resigned, draining>>
world == <<life, db, zk, left>>
memory == <<seen, mine, trust, waiting, cleared, running>>
ghosts == <<started, broken, receiver>>
vars == <<row, ledger, line, world, memory, ghosts>>

Nobody == "nobody"
Unseen == [held |-> FALSE, epoch |-> 0]
Settled == [epoch |-> 0, open |-> FALSE]
Never == [attempt |-> 0, epoch |-> 0]

(* The nodes are alike, so states that differ only by their names count once. *)
Alike == Permutations(Nodes)

Init ==
    /\ epoch = 0 /\ owner = Nobody /\ resigned = FALSE /\ draining = Settled
    /\ ledger = [s \in Slots |-> [state |-> "due", epoch |-> 0, attempt |-> 0]]
    /\ line = <<>>
    /\ life = [n \in Nodes |-> "up"] /\ db = [n \in Nodes |-> TRUE] /\ zk = [n \in Nodes |-> TRUE]
    /\ seen = [n \in Nodes |-> Unseen] /\ mine = [n \in Nodes |-> 0] /\ trust = [n \in Nodes |-> 0]
    /\ waiting = [n \in Nodes |-> {}] /\ cleared = [n \in Nodes |-> {}] /\ running = [n \in Nodes |-> {}]
    /\ left = Faults
    /\ started = [s \in Slots |-> Never] /\ broken = {}
    /\ receiver = [effects |-> [s \in Slots |-> 0], greatest |-> 0]

Up(n) == life[n] = "up"
Stands(n) == \E i \in DOMAIN line : line[i] = n
IsFirst(n) == line # <<>> /\ Head(line) = n
Without(n) == SelectSeq(line, LAMBDA m : m # n)

(* The guard of every claim, beat and settlement. Epoch numbers are unique here, so the owner stands for its token. *)
Guard(n) == epoch = mine[n] /\ owner = n /\ ~resigned

(* The node forgets the runs that have not begun. Runs that have begun continue until they are interrupted. *)
Forget(n) ==
    /\ mine' = [mine EXCEPT ![n] = 0] /\ trust' = [trust EXCEPT ![n] = 0]
    /\ seen' = [seen EXCEPT ![n] = Unseen]
    /\ waiting' = [waiting EXCEPT ![n] = {}] /\ cleared' = [cleared EXCEPT ![n] = {}]

-----------------------------------------------------------------------------
(* The election. What a node saw may be outdated when the node acts on it. *)

Enter(n) ==
    /\ Up(n) /\ zk[n] /\ ~Stands(n)
    /\ line' = Append(line, n)
    /\ UNCHANGED <<row, ledger, world, memory, ghosts>>

Expire(n) ==
    /\ Stands(n) /\ ~(Up(n) /\ zk[n]) /\ Mutation # "keep dead sessions"
    /\ line' = Without(n)
    /\ UNCHANGED <<row, ledger, world, memory, ghosts>>

Look(n) ==
    LET now == IF IsFirst(n) THEN [held |-> TRUE, epoch |-> epoch] ELSE Unseen IN
    /\ Up(n) /\ zk[n] /\ db[n] /\ mine[n] = 0 /\ seen[n] # now
    /\ seen' = [seen EXCEPT ![n] = now]
    /\ UNCHANGED <<row, ledger, line, world, mine, trust, waiting, cleared, running, ghosts>>

(* Fast takeover: the owner is dead or cut off, so its lock is free, and the other node closes its session. A frozen owner *)
(* keeps its lock. This step opens no epoch.                                                                               *)
CloseSession(n) ==
    /\ Up(n) /\ db[n] /\ zk[n] /\ mine[n] = 0 /\ Stands(n) /\ ~resigned
    /\ \E m \in Nodes \ {n} : owner = m /\ IsFirst(m) /\ (life[m] = "dead" \/ ~db[m])
    /\ line' = Tail(line)
    /\ UNCHANGED <<row, ledger, world, memory, ghosts>>

-----------------------------------------------------------------------------
(* Epochs. *)

Open(n) ==
    LET compares == Mutation # "open without comparing"
        next == (IF compares THEN epoch ELSE seen[n].epoch) + 1
    IN
    /\ Up(n) /\ db[n] /\ mine[n] = 0 /\ seen[n].held
    /\ compares => seen[n].epoch = epoch
    /\ epoch' = next /\ owner' = n /\ resigned' = FALSE
    /\ mine' = [mine EXCEPT ![n] = next] /\ trust' = [trust EXCEPT ![n] = next]
    /\ seen' = [seen EXCEPT ![n] = Unseen]
    /\ broken' = broken \union (IF next > epoch THEN {} ELSE {"an epoch does not grow"})
    /\ UNCHANGED <<draining, ledger, line, world, waiting, cleared, running, started, receiver>>

Beat(n) ==
    /\ Up(n) /\ db[n] /\ mine[n] # 0 /\ Guard(n) /\ trust[n] = 0
    /\ trust' = [trust EXCEPT ![n] = mine[n]]
    /\ UNCHANGED <<row, ledger, line, world, seen, mine, waiting, cleared, running, ghosts>>

(* A second without a guarded statement, by the monotonic clock, which also runs while the process is frozen. *)
TrustEnds(n) ==
    /\ trust[n] # 0
    /\ trust' = [trust EXCEPT ![n] = 0]
    /\ UNCHANGED <<row, ledger, line, world, seen, mine, waiting, cleared, running, ghosts>>

StepDown(n) ==
    /\ Up(n) /\ db[n] /\ mine[n] # 0 /\ ~Guard(n)
    /\ Forget(n)
    /\ running' = [running EXCEPT ![n] = {}]
    /\ line' = Without(n)
    /\ UNCHANGED <<row, ledger, world, ghosts>>

(* A master gives up if it has lost the database, and the other node, when asked, answers that it has not. *)
GiveUp(n) ==
    LET isAnswered == \E m \in Nodes : Up(m) /\ zk[m] /\ db[m]
        wasSaidOnce == \E m \in Nodes \ {n} : Stands(m)
    IN
    /\ Up(n) /\ mine[n] # 0
    /\ \/ zk[n] /\ ~db[n] /\ isAnswered
       \/ zk[n] /\ ~db[n] /\ wasSaidOnce /\ Mutation = "believe old answers"
       \/ ~zk[n] /\ Mutation = "resign without ZooKeeper"
    /\ Forget(n)
    /\ line' = Without(n)
    /\ UNCHANGED <<row, ledger, world, running, ghosts>>

(* Handing back and starting compete by compare-and-set: a run that is handed back cannot begin here any more. The node may *)
(* keep claims. It still starts them while it trusts their epoch, and hands back the rest while it drains.                  *)
Returned(back) == [s \in Slots |->
    IF \E i \in back : ledger[s] = [state |-> "claimed", epoch |-> i.epoch, attempt |-> i.attempt] /\ i.slot = s
    THEN [ledger[s] EXCEPT !.state = "due", !.attempt = @ - 1] ELSE ledger[s]]
Unstarted(n, back) ==
    LET compares == Mutation # "hand back without comparing" IN
    /\ waiting' = [waiting EXCEPT ![n] = IF compares THEN @ \ back ELSE @]
    /\ cleared' = [cleared EXCEPT ![n] = IF compares THEN @ \ back ELSE @]

HandOver(n) ==
    LET claimed == {i \in waiting[n] \union cleared[n] : i.epoch = mine[n]} IN
    /\ Up(n) /\ db[n] /\ mine[n] # 0 /\ Guard(n)
    /\ \E back \in SUBSET claimed :
        /\ ledger' = Returned(back)
        /\ Unstarted(n, back)
        /\ running' = [running EXCEPT ![n] = {i \in @ : i.epoch = mine[n]}]
        /\ draining' = IF running'[n] = {} /\ back = claimed THEN Settled ELSE [epoch |-> mine[n], open |-> TRUE]
    /\ resigned' = TRUE
    /\ mine' = [mine EXCEPT ![n] = 0]
    /\ seen' = [seen EXCEPT ![n] = Unseen]
    /\ line' = Without(n)
    /\ UNCHANGED <<epoch, owner, life, db, zk, trust, ghosts>>

HandBackRest(n) ==
    LET back == {i \in waiting[n] \union cleared[n] : draining = [epoch |-> i.epoch, open |-> TRUE] /\ i.epoch # mine[n]} IN
    /\ Up(n) /\ db[n] /\ back # {}
    /\ ledger' = Returned(back)
    /\ Unstarted(n, back)
    /\ UNCHANGED <<row, line, world, seen, mine, trust, running, ghosts>>

HandOverAsked(n) ==
    /\ \E m \in Nodes \ {n} : Up(m) /\ db[m] /\ seen[m] = [held |-> TRUE, epoch |-> epoch]
    /\ HandOver(n)
    /\ UNCHANGED left

(* A drain ends at its time limit, or when the process reports its end. *)
DrainEnds ==
    /\ draining.open
    /\ draining' = Settled
    /\ UNCHANGED <<epoch, owner, resigned, ledger, line, world, memory, ghosts>>

-----------------------------------------------------------------------------
(* Slots. *)

Claim(n, s) ==
    LET attempt == ledger[s].attempt + 1 IN
    /\ Up(n) /\ db[n] /\ mine[n] # 0 /\ ledger[s].state = "due"
    /\ Guard(n) \/ Mutation = "claim without the guard"
    /\ ledger' = [ledger EXCEPT ![s] = [state |-> "claimed", epoch |-> mine[n], attempt |-> attempt]]
    /\ waiting' = [waiting EXCEPT ![n] = @ \union {[slot |-> s, attempt |-> attempt, epoch |-> mine[n]]}]
    /\ trust' = [trust EXCEPT ![n] = mine[n]]
    /\ broken' = broken
        \union (IF mine[n] = ledger[s].epoch THEN {"two claims under one epoch"} ELSE {})
        \union (IF mine[n] # epoch THEN {"a claim under an epoch that is over"} ELSE {})
    /\ UNCHANGED <<row, line, world, seen, mine, cleared, running, started, receiver>>

(* A call arrives. A receiver with a memory lets each slot take effect once, and refuses a call if a later epoch has called. *)
Refuses(i) == Receiver = "memory" /\ i.epoch < receiver.greatest
Receives(i) ==
    LET before == receiver.effects[i.slot]
        isRepeat == Receiver = "memory" /\ before > 0
    IN
    receiver' = CASE Receiver = "nothing" \/ Refuses(i) -> receiver
                  [] OTHER ->
                    [effects |-> [receiver.effects EXCEPT ![i.slot] = IF isRepeat \/ before = 2 THEN before ELSE before + 1],
                     greatest |-> IF i.epoch > receiver.greatest THEN i.epoch ELSE receiver.greatest]

(* A handler begins. The attempt must still be claimed in the ledger; otherwise a successor has settled it. *)
Begins(n, i) ==
    /\ Receives(i)
    /\ running' = IF Refuses(i) THEN running ELSE [running EXCEPT ![n] = @ \union {i}]
    /\ started' = [started EXCEPT ![i.slot] = [attempt |-> i.attempt, epoch |-> i.epoch]]
    /\ broken' = broken
        \union (IF started[i.slot].attempt = i.attempt \/ started[i.slot].epoch = i.epoch
                THEN {"a second start without a settlement"} ELSE {})
        \union (IF ledger[i.slot] # [state |-> "claimed", epoch |-> i.epoch, attempt |-> i.attempt]
                THEN {"a start after the settlement"} ELSE {})

Check(n, i) ==
    /\ Up(n) /\ i \in waiting[n]
    /\ trust[n] = i.epoch \/ Mutation = "start without trust"
    /\ waiting' = [waiting EXCEPT ![n] = @ \ {i}]
    /\ IF Window
       THEN cleared' = [cleared EXCEPT ![n] = @ \union {i}] /\ UNCHANGED <<running, ghosts>>
       ELSE Begins(n, i) /\ UNCHANGED cleared
    /\ UNCHANGED <<row, ledger, line, world, seen, mine, trust>>

Begin(n, i) ==
    /\ Up(n) /\ i \in cleared[n]
    /\ cleared' = [cleared EXCEPT ![n] = @ \ {i}]
    /\ Begins(n, i)
    /\ UNCHANGED <<row, ledger, line, world, seen, mine, trust, waiting>>

(* An outcome is recorded under the current epoch or the draining one. Any other outcome is only a note. *)
Finish(n, i) ==
    LET isAccepted ==
            /\ ledger[i.slot] = [state |-> "claimed", epoch |-> i.epoch, attempt |-> i.attempt]
            /\ (Guard(n) /\ i.epoch = mine[n]) \/ draining = [epoch |-> i.epoch, open |-> TRUE]
    IN
    /\ Up(n) /\ db[n] /\ i \in running[n]
    /\ running' = [running EXCEPT ![n] = @ \ {i}]
    /\ ledger' = IF isAccepted THEN [ledger EXCEPT ![i.slot].state = "done"] ELSE ledger
    /\ UNCHANGED <<row, line, world, seen, mine, trust, waiting, cleared, ghosts>>

(* A successor settles what an older epoch left, once that epoch has drained and no process can trust it any more. Only *)
(* guarded statements renew trust, so a second after the next epoch was opened, no process trusts the old one.          *)
Settle(n, s) ==
    LET attempt == ledger[s].attempt + 1 IN
    /\ Up(n) /\ db[n] /\ mine[n] # 0 /\ Guard(n)
    /\ ledger[s].state = "claimed" /\ ledger[s].epoch # mine[n]
    /\ ~(draining.open /\ draining.epoch = ledger[s].epoch)
    /\ (\A m \in Nodes : trust[m] # ledger[s].epoch) \/ Mutation = "settle at once"
    /\ IF s \in Rerun
       THEN /\ ledger' = [ledger EXCEPT ![s] = [state |-> "claimed", epoch |-> mine[n], attempt |-> attempt]]
            /\ waiting' = [waiting EXCEPT ![n] = @ \union {[slot |-> s, attempt |-> attempt, epoch |-> mine[n]]}]
       ELSE /\ ledger' = [ledger EXCEPT ![s].state = "dropped"]
            /\ UNCHANGED waiting
    /\ UNCHANGED <<row, line, world, seen, mine, trust, cleared, running, ghosts>>

(* Broken on purpose: the latch alone counts as authority, so claims of the old master are settled before it is fenced. *)
SettleBeforeOpening(n, s) ==
    /\ Mutation = "settle before opening"
    /\ Up(n) /\ db[n] /\ mine[n] = 0 /\ seen[n].held /\ ledger[s].state = "claimed"
    /\ ledger' = [ledger EXCEPT ![s].state = "due"]
    /\ UNCHANGED <<row, line, world, memory, ghosts>>

(* Broken on purpose: the handler begins before its claim is written. *)
RunBeforeClaim(n, s) ==
    LET i == [slot |-> s, attempt |-> ledger[s].attempt + 1, epoch |-> mine[n]] IN
    /\ Mutation = "run before claiming"
    /\ Up(n) /\ mine[n] # 0 /\ trust[n] = mine[n] /\ ledger[s].state = "due" /\ i \notin running[n]
    /\ running' = [running EXCEPT ![n] = @ \union {i}]
    /\ started' = [started EXCEPT ![s] = [attempt |-> i.attempt, epoch |-> i.epoch]]
    /\ broken' = broken \union
        (IF started[s] # Never THEN {"a second start without a settlement"} ELSE {})
    /\ UNCHANGED <<row, ledger, line, world, seen, mine, trust, waiting, cleared, receiver>>

-----------------------------------------------------------------------------
(* The world. *)

Fault == left > 0 /\ left' = left - 1

Crash(n) ==
    /\ Fault /\ life[n] # "dead"
    /\ life' = [life EXCEPT ![n] = "dead"]
    /\ Forget(n)
    /\ running' = [running EXCEPT ![n] = {}]
    /\ UNCHANGED <<row, ledger, line, db, zk, ghosts>>

Pause(n) ==
    /\ Fault /\ Up(n)
    /\ life' = [life EXCEPT ![n] = "paused"]
    /\ UNCHANGED <<row, ledger, line, db, zk, memory, ghosts>>

CutOffDatabase(n) ==
    /\ Fault /\ db[n]
    /\ db' = [db EXCEPT ![n] = FALSE]
    /\ UNCHANGED <<row, ledger, line, life, zk, memory, ghosts>>

CutOffZooKeeper(n) ==
    /\ Fault /\ zk[n]
    /\ zk' = [zk EXCEPT ![n] = FALSE]
    /\ UNCHANGED <<row, ledger, line, life, db, memory, ghosts>>

(* An entry is deleted by hand, a session is expired by force, or fast takeover closes a session by mistake. *)
DeleteElectionEntry(n) ==
    /\ Fault /\ Stands(n)
    /\ line' = Without(n)
    /\ UNCHANGED <<row, ledger, life, db, zk, memory, ghosts>>

Switchover(n) ==
    /\ Fault
    /\ \E m \in Nodes \ {n} : Up(m) /\ Stands(m)
    /\ HandOver(n)

Resume(n) ==
    /\ life[n] = "paused"
    /\ life' = [life EXCEPT ![n] = "up"]
    /\ UNCHANGED <<row, ledger, line, db, zk, left, memory, ghosts>>

(* A restarted process removes the place that its dead session has left. It leaves the place of an owner until that session *)
(* has ended, and cannot enter the election before.                                                                         *)
Restart(n) ==
    /\ life[n] = "dead" /\ (~Stands(n) \/ (db[n] /\ zk[n] /\ (owner # n \/ resigned)))
    /\ life' = [life EXCEPT ![n] = "up"]
    /\ line' = Without(n)
    /\ UNCHANGED <<row, ledger, db, zk, left, memory, ghosts>>

HealDatabase(n) ==
    /\ ~db[n]
    /\ db' = [db EXCEPT ![n] = TRUE]
    /\ UNCHANGED <<row, ledger, line, life, zk, left, memory, ghosts>>

HealZooKeeper(n) ==
    /\ ~zk[n]
    /\ zk' = [zk EXCEPT ![n] = TRUE]
    /\ UNCHANGED <<row, ledger, line, life, db, left, memory, ghosts>>

-----------------------------------------------------------------------------

OfNode(n) ==
    \/ Enter(n) \/ Look(n) \/ CloseSession(n)
    \/ Open(n) \/ Beat(n) \/ StepDown(n) \/ GiveUp(n) \/ HandOverAsked(n) \/ HandBackRest(n)
    \/ \E s \in Slots : Claim(n, s) \/ Settle(n, s) \/ SettleBeforeOpening(n, s) \/ RunBeforeClaim(n, s)
    \/ \E i \in waiting[n] : Check(n, i)
    \/ \E i \in cleared[n] : Begin(n, i)
    \/ \E i \in running[n] : Finish(n, i)

OfWorld(n) ==
    \/ Expire(n) \/ TrustEnds(n)
    \/ Crash(n) \/ Pause(n) \/ CutOffDatabase(n) \/ CutOffZooKeeper(n) \/ DeleteElectionEntry(n) \/ Switchover(n)
    \/ Resume(n) \/ Restart(n) \/ HealDatabase(n) \/ HealZooKeeper(n)

Next == DrainEnds \/ \E n \in Nodes : OfNode(n) \/ OfWorld(n)

(* A step that stays possible is taken in the end, and faults heal. A dead process need not return while the other lives. *)
Fairness ==
    /\ WF_vars(DrainEnds)
    /\ \A n \in Nodes :
        /\ WF_vars(Enter(n)) /\ WF_vars(Expire(n)) /\ WF_vars(Look(n)) /\ WF_vars(Open(n))
        /\ WF_vars(Beat(n)) /\ WF_vars(TrustEnds(n)) /\ WF_vars(StepDown(n)) /\ WF_vars(HandOverAsked(n))
        /\ WF_vars(Resume(n)) /\ WF_vars(HealDatabase(n)) /\ WF_vars(HealZooKeeper(n))
        /\ WF_vars(Restart(n) /\ \A m \in Nodes : life[m] = "dead")
        /\ \A s \in Slots : WF_vars(Claim(n, s)) /\ WF_vars(Settle(n, s))
        /\ SF_vars(\E i \in waiting[n] : Check(n, i))
        /\ WF_vars(\E i \in cleared[n] : Begin(n, i))
        /\ WF_vars(\E i \in running[n] : Finish(n, i))

Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ Fairness

-----------------------------------------------------------------------------
(* What must hold. *)

EpochsGrowAndHaveOneOwnerEach == "an epoch does not grow" \notin broken
OneClaimForASlotUnderAnEpoch == "two claims under one epoch" \notin broken
NoClaimUnderAnEpochThatIsOver == "a claim under an epoch that is over" \notin broken
NoSecondStartWithoutASettlement == "a second start without a settlement" \notin broken
NoStartAfterTheSettlement == "a start after the settlement" \notin broken

OneEffectForASlot == \A s \in Slots : receiver.effects[s] <= 1
ADoneSlotTookEffect == Receiver # "nothing" => \A s \in Slots : ledger[s].state = "done" => receiver.effects[s] > 0

AMasterStays == [][\A n \in Nodes : mine[n] # 0 /\ mine'[n] = 0 =>
    \/ life'[n] = "dead"
    \/ ~Guard(n)
    \/ resigned'
    \/ ~db[n] /\ \E m \in Nodes : Up(m) /\ zk[m] /\ db[m]]_vars

IsServed == \E n \in Nodes : Up(n) /\ mine[n] = epoch /\ Guard(n)
ThereIsAMasterInTheEnd == <>[]IsServed
EverySlotIsAccountedForInTheEnd == <>[](\A s \in Slots : ledger[s].state \in {"done", "dropped"})
=============================================================================
