------------------------------ MODULE History ------------------------------
(* Which database server a pair uses, and what it believes of that server. PostgreSQL has a replica that is promoted, while *)
(* nodes crash, and the former primary stays up or returns and accepts writes. Protocol.tla checks which node is master;    *)
(* here the latch may move at any time. README.md in this folder says what must hold.                                       *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    Nodes, Slots,
    Synchronous,    \* whether a commit is answered only when the replica has it
    LosesEpochs,    \* whether a promoted replica may lack the opening of the newest epoch
    Promotions,     \* how often a replica is promoted
    Faults,         \* how many other faults may happen
    Mutation        \* which rule is broken on purpose; "none" for the protocol as it is

VARIABLES
    data,           \* what each server has, by its timeline: the last one is the newest
    copy,           \* what the replica of the newest server has received
    mark,           \* ZooKeeper: the newest timeline that a node has used
    latch,          \* ZooKeeper: who holds the latch
    reach,          \* which servers, of those that take writes, each node reaches
    opened,         \* how many epochs were opened so far: each has a token of its own
    up, on, known,  \* is each node up; the timeline of its connections, 0 for none; the newest timeline it has heard of
    early,          \* whether its connections are older than the news that their server is a former primary
    mine, trust,    \* its epoch; the timeline of the server whose answer it trusts in, 0 for none
    asked,          \* claims whose commit got no answer
    held, running,  \* claims that wait for their start, with the timeline they were seen on; what runs
    journal,        \* what was answered: slots and their states
    entered,        \* the timeline up to which the journal has been entered again
    left, promoted, \* what may still go wrong
    started, torn, broken   \* the slots that were started; those started through a former primary; what was wrong

servers == <<data, copy, mark, latch, reach, opened>>
node == <<up, on, known, early, mine, trust, asked, held, running, journal, entered>>
bounds == <<left, promoted>>
ghosts == <<started, torn, broken>>
vars == <<servers, node, bounds, ghosts>>

Nobody == "nobody"

(* The nodes are alike, so states that differ only by their names count once. *)
Alike == Permutations(Nodes)

Newest == Len(data)
Max(a, b) == IF a > b THEN a ELSE b

Init ==
    /\ data = <<[epoch |-> 0, owner |-> Nobody, beat |-> 1, ledger |-> [s \in Slots |-> [state |-> "due", epoch |-> 0]]]>>
    /\ copy = data[1]
    /\ mark = 1 /\ latch \in Nodes /\ reach = [n \in Nodes |-> {1}] /\ opened = 0
    /\ up = [n \in Nodes |-> TRUE] /\ on = [n \in Nodes |-> 1] /\ known = [n \in Nodes |-> 1]
    /\ early = [n \in Nodes |-> TRUE]
    /\ mine = [n \in Nodes |-> 0] /\ trust = [n \in Nodes |-> 0]
    /\ asked = [n \in Nodes |-> {}] /\ held = [n \in Nodes |-> {}] /\ running = [n \in Nodes |-> {}]
    /\ journal = [n \in Nodes |-> {}] /\ entered = [n \in Nodes |-> 1]
    /\ left = Faults /\ promoted = 0
    /\ started = {} /\ torn = {} /\ broken = {}

Works(n) == up[n] /\ on[n] # 0 /\ on[n] \in reach[n]
Guard(n) == data[on[n]].epoch = mine[n] /\ data[on[n]].owner = n

(* A commit is answered when the replica has it and all commits before it; at once if commits do not wait for the replica. *)
Commits(t, d) ==
    /\ ~Synchronous \/ t = Newest
    /\ data' = [data EXCEPT ![t] = d]
    /\ copy' = IF Synchronous THEN d ELSE copy

(* The replica hangs or is gone: the wait is broken off, and the commit exists on the primary only. *)
CommitsUnanswered(t, d) ==
    /\ Synchronous
    /\ data' = [data EXCEPT ![t] = d]
    /\ UNCHANGED copy

(* The node closes all its connections, and keeps what it knows of its claims. *)
Leave(n, timeline) ==
    /\ on' = [on EXCEPT ![n] = 0]
    /\ known' = [known EXCEPT ![n] = Max(@, timeline)]

-----------------------------------------------------------------------------
(* Connections. *)

(* The node asks every host that it reaches for its timeline, and uses the newest, unless it knows of a newer one. *)
Connect(n) ==
    LET heard == Max(known[n], mark) IN
    /\ up[n] /\ on[n] = 0
    /\ \E t \in reach[n] :
        /\ \/ t >= heard /\ \A other \in reach[n] : other <= t
           \/ Mutation = "ignore the mark"
        /\ on' = [on EXCEPT ![n] = t]
        /\ known' = [known EXCEPT ![n] = t]
        /\ early' = [early EXCEPT ![n] = mark <= t]
        /\ mark' = Max(mark, t)
    /\ UNCHANGED <<data, copy, latch, reach, opened, up, mine, trust, asked, held, running, journal, entered, bounds, ghosts>>

Hear(n) ==
    /\ up[n] /\ on[n] # 0 /\ on[n] < mark /\ Mutation # "ignore the mark"
    /\ Leave(n, mark)
    /\ UNCHANGED <<servers, up, early, mine, trust, asked, held, running, journal, entered, bounds, ghosts>>

Disconnect(n) ==
    /\ up[n] /\ on[n] # 0 /\ on[n] \notin reach[n]
    /\ Leave(n, 0)
    /\ UNCHANGED <<servers, up, early, mine, trust, asked, held, running, journal, entered, bounds, ghosts>>

(* Before it uses a promoted server, the master enters there again what that server lacks, under the same epoch. *)
EnterAgain(n) ==
    LET t == on[n]
        states(s) == {j.state : j \in {i \in journal[n] : i.slot = s}}
        ledger == [s \in Slots |->
            LET row == data[t].ledger[s] IN
            IF \/ row.state = "due" /\ states(s) # {}
               \/ row.state = "claimed" /\ "done" \in states(s) /\ row.epoch = mine[n]
            THEN [state |-> IF "done" \in states(s) THEN "done" ELSE "claimed", epoch |-> mine[n]]
            ELSE row]
    IN
    /\ Works(n) /\ entered[n] # t
    /\ IF mine[n] # 0 /\ Guard(n) /\ Mutation # "enter nothing again"
       THEN Commits(t, [data[t] EXCEPT !.ledger = ledger])
       ELSE UNCHANGED <<data, copy>>
    /\ entered' = [entered EXCEPT ![n] = t]
    /\ UNCHANGED <<mark, latch, reach, opened, up, on, known, early, mine, trust, asked, held, running, journal, bounds, ghosts>>

Ready(n) == Works(n) /\ (entered[n] = on[n] \/ Mutation = "enter again later")

-----------------------------------------------------------------------------
(* Epochs. *)

(* The newest heartbeat on this server was written to its former primary, so answers of that primary since then may be lost. *)
(* With a synchronous replica nothing is lost.                                                                               *)
InDoubt(t) == ~Synchronous /\ data[t].beat < t /\ Mutation # "doubt nothing"

Open(n) ==
    LET t == on[n]
        ledger == [s \in Slots |->
            IF InDoubt(t) /\ data[t].ledger[s].state = "due"
            THEN [state |-> "in doubt", epoch |-> 0] ELSE data[t].ledger[s]]
        next == [epoch |-> opened + 1, owner |-> n, beat |-> t, ledger |-> ledger]
    IN
    /\ Ready(n) /\ latch = n /\ mine[n] = 0
    /\ opened' = opened + 1
    /\ \/ /\ Commits(t, next)
          /\ mine' = [mine EXCEPT ![n] = opened + 1]
          /\ trust' = [trust EXCEPT ![n] = t]
       \/ CommitsUnanswered(t, next) /\ UNCHANGED <<mine, trust>>
    /\ UNCHANGED <<mark, latch, reach, up, on, known, early, asked, held, running, journal, entered, bounds, ghosts>>

(* The master's heartbeat: a commit of its own. *)
Beat(n) ==
    LET next == [data[on[n]] EXCEPT !.beat = on[n]] IN
    /\ Ready(n) /\ mine[n] # 0 /\ Guard(n) /\ (trust[n] # on[n] \/ data[on[n]].beat # on[n])
    /\ Commits(on[n], next)
    /\ trust' = [trust EXCEPT ![n] = on[n]]
    /\ UNCHANGED <<mark, latch, reach, opened, up, on, known, early, mine, asked, held, running, journal, entered, bounds, ghosts>>

(* A check before a start that has waited long. It writes nothing. *)
Confirm(n) ==
    /\ Ready(n) /\ mine[n] # 0 /\ Guard(n) /\ trust[n] # on[n]
    /\ trust' = [trust EXCEPT ![n] = on[n]]
    /\ UNCHANGED <<servers, up, on, known, early, mine, asked, held, running, journal, entered, bounds, ghosts>>

TrustEnds(n) ==
    /\ trust[n] # 0
    /\ trust' = [trust EXCEPT ![n] = 0]
    /\ UNCHANGED <<servers, up, on, known, early, mine, asked, held, running, journal, entered, bounds, ghosts>>

StepDown(n) ==
    /\ Ready(n) /\ mine[n] # 0 /\ ~Guard(n)
    /\ mine' = [mine EXCEPT ![n] = 0] /\ trust' = [trust EXCEPT ![n] = 0]
    /\ asked' = [asked EXCEPT ![n] = {}] /\ held' = [held EXCEPT ![n] = {}]
    /\ running' = [running EXCEPT ![n] = {}] /\ journal' = [journal EXCEPT ![n] = {}]
    /\ UNCHANGED <<servers, up, on, known, early, entered, bounds, ghosts>>

-----------------------------------------------------------------------------
(* Slots. *)

Taken(n, s) ==
    /\ held' = [held EXCEPT ![n] = @ \union {[slot |-> s, epoch |-> mine[n], seen |-> on[n]]}]
    /\ journal' = [journal EXCEPT ![n] = @ \union {[slot |-> s, state |-> "claimed"]}]
    /\ trust' = [trust EXCEPT ![n] = on[n]]

Claim(n, s) ==
    LET next == [data[on[n]] EXCEPT !.ledger[s] = [state |-> "claimed", epoch |-> mine[n]]] IN
    /\ Ready(n) /\ mine[n] # 0 /\ Guard(n) /\ data[on[n]].ledger[s].state = "due" /\ s \notin asked[n]
    /\ \/ Commits(on[n], next) /\ Taken(n, s) /\ UNCHANGED asked
       \/ /\ CommitsUnanswered(on[n], next)
          /\ asked' = [asked EXCEPT ![n] = @ \union {s}]
          /\ UNCHANGED <<held, journal, trust>>
    /\ UNCHANGED <<mark, latch, reach, opened, up, on, known, early, mine, running, entered, bounds, ghosts>>

(* A claim without an answer is read back only after another commit was answered. *)
ReadBack(n, s) ==
    LET t == on[n]
        row == data[t].ledger[s]
    IN
    /\ Ready(n) /\ mine[n] # 0 /\ s \in asked[n]
    /\ \/ Commits(t, data[t])
       \/ Mutation = "trust an unanswered commit" /\ UNCHANGED <<data, copy>>
    /\ asked' = [asked EXCEPT ![n] = @ \ {s}]
    /\ IF Guard(n) /\ row = [state |-> "claimed", epoch |-> mine[n]]
       THEN Taken(n, s) ELSE UNCHANGED <<held, journal, trust>>
    /\ UNCHANGED <<mark, latch, reach, opened, up, on, known, early, mine, running, entered, bounds, ghosts>>

(* A run that was claimed on an earlier timeline is looked up before it starts. *)
Look(n, i) ==
    LET isThere == Guard(n) /\ data[on[n]].ledger[i.slot] = [state |-> "claimed", epoch |-> i.epoch] IN
    /\ Ready(n) /\ mine[n] # 0 /\ i.seen # on[n]
    /\ held' = [held EXCEPT ![n] = (@ \ {i}) \union (IF isThere THEN {[i EXCEPT !.seen = on[n]]} ELSE {})]
    /\ trust' = [trust EXCEPT ![n] = IF isThere THEN on[n] ELSE @]
    /\ UNCHANGED <<servers, up, on, known, early, mine, asked, running, journal, entered, bounds, ghosts>>

(* A node that has not heard of the newer server may continue with the former one. A slot that starts so is not judged. *)
Start(n, i) ==
    LET row == data[Newest].ledger[i.slot]
        isFormer == on[n] # 0 /\ on[n] < Newest
    IN
    /\ up[n] /\ trust[n] # 0
    /\ i.seen = known[n] \/ Mutation = "start without looking again"
    /\ held' = [held EXCEPT ![n] = @ \ {i}]
    /\ running' = [running EXCEPT ![n] = @ \union {i}]
    /\ started' = started \union {i.slot}
    /\ torn' = IF isFormer THEN torn \union {i.slot} ELSE torn
    /\ broken' = broken
        \union (IF isFormer /\ ~early[n] THEN {"a start through a former primary that was known to be one"} ELSE {})
        \union (IF i.slot \in started \ torn' THEN {"a second start"} ELSE {})
        \union (IF known[n] = Newest /\ row.state = "due" THEN {"a start without a row"} ELSE {})
        \union (IF i.slot \notin torn' /\ row.state = "dropped" THEN {"a start after the settlement"} ELSE {})
    /\ UNCHANGED <<servers, up, on, known, early, mine, trust, asked, journal, entered, bounds>>

Finish(n, i) ==
    LET t == on[n] IN
    /\ Ready(n) /\ mine[n] # 0 /\ i \in running[n]
    /\ IF Guard(n) /\ data[t].ledger[i.slot] = [state |-> "claimed", epoch |-> i.epoch]
       THEN /\ Commits(t, [data[t] EXCEPT !.ledger[i.slot].state = "done"])
            /\ journal' = [journal EXCEPT ![n] = @ \union {[slot |-> i.slot, state |-> "done"]}]
       ELSE UNCHANGED <<data, copy, journal>>
    /\ running' = [running EXCEPT ![n] = @ \ {i}]
    /\ UNCHANGED <<mark, latch, reach, opened, up, on, known, early, mine, trust, asked, held, entered, bounds, ghosts>>

(* A successor drops what an older epoch left, once no process can trust an answer of that time any more. *)
Settle(n, s) ==
    LET row == data[on[n]].ledger[s]
        trusts(m) == trust[m] # 0 /\ ~(on[m] = trust[m] /\ on[m] \in reach[m] /\ on[m] < on[n])
    IN
    /\ Ready(n) /\ mine[n] # 0 /\ Guard(n) /\ row.state = "claimed"
    /\ IF row.epoch = mine[n]
       THEN \A i \in held[n] \union running[n] : i.slot # s
       ELSE (\A m \in Nodes \ {n} : ~trusts(m)) \/ Mutation = "settle at once"
    /\ s \notin asked[n]
    /\ Commits(on[n], [data[on[n]] EXCEPT !.ledger[s].state = "dropped"])
    /\ UNCHANGED <<mark, latch, reach, opened, node, bounds, ghosts>>

-----------------------------------------------------------------------------
(* The world. *)

Fault == left > 0 /\ left' = left - 1 /\ UNCHANGED promoted

Replicate ==
    /\ copy # data[Newest]
    /\ copy' = data[Newest]
    /\ UNCHANGED <<data, mark, latch, reach, opened, node, bounds, ghosts>>

(* Commits that the replica has not received are lost. The former primary dies, or continues to accept writes. *)
Promote ==
    /\ promoted < Promotions /\ promoted' = promoted + 1
    /\ copy.epoch = data[Newest].epoch \/ Synchronous \/ LosesEpochs
    /\ data' = Append(data, copy)
    /\ \E dies \in BOOLEAN : reach' = [n \in Nodes |-> IF dies THEN {Newest + 1} ELSE reach[n] \union {Newest + 1}]
    /\ UNCHANGED <<copy, mark, latch, opened, node, left, ghosts>>

ComesBack(n) ==
    /\ Fault
    /\ \E t \in 1..(Newest - 1) : t \notin reach[n] /\ reach' = [reach EXCEPT ![n] = @ \union {t}]
    /\ UNCHANGED <<data, copy, mark, latch, opened, node, ghosts>>

(* The node reaches only former primaries, or no server. *)
CutOff(n) ==
    /\ Fault /\ Newest \in reach[n]
    /\ reach' = [reach EXCEPT ![n] = @ \ {Newest}]
    /\ UNCHANGED <<data, copy, mark, latch, opened, node, ghosts>>

Heal(n) ==
    /\ Newest \notin reach[n]
    /\ reach' = [reach EXCEPT ![n] = @ \union {Newest}]
    /\ UNCHANGED <<data, copy, mark, latch, opened, node, bounds, ghosts>>

LatchMoves(n) ==
    /\ latch = n
    /\ Fault \/ ((~up[n] \/ Newest \notin reach[n]) /\ UNCHANGED bounds)
    /\ \E m \in Nodes \ {n} : up[m] /\ latch' = m
    /\ UNCHANGED <<data, copy, mark, reach, opened, node, ghosts>>

Crash(n) ==
    /\ Fault /\ up[n]
    /\ up' = [up EXCEPT ![n] = FALSE]
    /\ on' = [on EXCEPT ![n] = 0] /\ known' = [known EXCEPT ![n] = 0]
    /\ mine' = [mine EXCEPT ![n] = 0] /\ trust' = [trust EXCEPT ![n] = 0] /\ entered' = [entered EXCEPT ![n] = 0]
    /\ asked' = [asked EXCEPT ![n] = {}] /\ held' = [held EXCEPT ![n] = {}]
    /\ running' = [running EXCEPT ![n] = {}] /\ journal' = [journal EXCEPT ![n] = {}]
    /\ UNCHANGED <<servers, early, ghosts>>

Restart(n) ==
    /\ ~up[n]
    /\ up' = [up EXCEPT ![n] = TRUE]
    /\ UNCHANGED <<servers, on, known, early, mine, trust, asked, held, running, journal, entered, bounds, ghosts>>

-----------------------------------------------------------------------------

OfNode(n) ==
    \/ Connect(n) \/ Hear(n) \/ Disconnect(n) \/ EnterAgain(n)
    \/ Open(n) \/ Beat(n) \/ Confirm(n) \/ StepDown(n)
    \/ \E s \in Slots : Claim(n, s) \/ ReadBack(n, s) \/ Settle(n, s)
    \/ \E i \in held[n] : Look(n, i) \/ Start(n, i)
    \/ \E i \in running[n] : Finish(n, i)

OfWorld(n) ==
    TrustEnds(n) \/ ComesBack(n) \/ CutOff(n) \/ Heal(n) \/ LatchMoves(n) \/ Crash(n) \/ Restart(n)

Next == Replicate \/ Promote \/ \E n \in Nodes : OfNode(n) \/ OfWorld(n)
Spec == Init /\ [][Next]_vars

(* Bounds the vain attempts of a master while its replica hangs. *)
FewEpochs == opened <= 2

-----------------------------------------------------------------------------
(* What must hold. *)

NoStartThroughAServerKnownToBeFormer == "a start through a former primary that was known to be one" \notin broken
NoSecondStart == "a second start" \notin broken
NoStartWithoutARow == "a start without a row" \notin broken
NoStartAfterTheSettlement == "a start after the settlement" \notin broken
=============================================================================
