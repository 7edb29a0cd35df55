--------------------------- MODULE DurableCustody ---------------------------
(***************************************************************************)
(* The custody machine with storage, crashes and messages in flight: the   *)
(* crash-extended model that the paper leaves as future work (abhyasa,     *)
(* section 4).                                                             *)
(*                                                                         *)
(* Each side keeps what is durable apart from what a crash takes away.     *)
(* All that it takes away is the process itself: whatever a side must      *)
(* remember it commits before it says so.  One clock serves both sides;    *)
(* the receiver's may be skewed.  Obligations and answers in flight are    *)
(* sets: a message that was sent may arrive at any time, in any order, as  *)
(* often as it likes, until it is lost.                                    *)
(*                                                                         *)
(* A step with a transaction has a fate.  It is done, message and all; or  *)
(* its process dies before the transaction, inside it (and nothing is      *)
(* committed), or after the commit, before the message has left.           *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    Obligations,        \* everything that is issued
    Admissible,         \* those that declare a fail-safe polarity (AC-1)
    Declinable,         \* those that the receiver's application may decline
    Deferrable,         \* those that it may put off and answer later
    MaxRetries,         \* redeliveries allowed after the first delivery
    Window,             \* ticks from acceptance to the deadline
    Horizon,            \* the tick at which the clock stops
    MaxSkew,            \* ticks by which the receiver's clock may be off
    ProtectOnDecline    \* whether a decline applies safe(O) too

ASSUME /\ Admissible \cup Declinable \cup Deferrable \subseteq Obligations
       /\ MaxRetries \in Nat
       /\ Window \in Nat \ {0}
       /\ Horizon \in Nat
       /\ Window <= Horizon
       /\ MaxSkew \in Nat
       /\ ProtectOnDecline \in BOOLEAN

VARIABLES
    (* durable at the custodian *)
    status,             \* where each obligation's custody stands
    deliveries,         \* deliveries that were made
    due,                \* when the running wait ends
    deadline,           \* when the fail-safe is due at the latest
    deferred,           \* whether the receiver answered "deferred"
    protected,          \* whether safe(O) has been applied to the principal
    late,               \* the answers that came after the escalation
    (* durable at the receiver *)
    ledger,             \* what was answered
    effects,            \* how often it took effect
    (* volatile, and the world around *)
    up,                 \* which process runs
    copies,             \* the obligations in flight
    answers,            \* the answers in flight
    now,                \* the custodian's clock
    skew                \* how far the receiver's clock is ahead of it

custody == <<status, deliveries, due, deadline, deferred, protected, late>>
reception == <<ledger, effects>>
channel == <<copies, answers>>
vars == <<custody, reception, up, channel, now, skew>>

Benign == Obligations \ Admissible
Sides == {"custodian", "receiver"}
Fates == {"done", "before", "inside", "after"}
Final == {"applied", "declined"}            \* the answers that stand
Answers == Final \cup {"deferred"}
Reported == Final \cup {"escalated"}

Init ==
    /\ status = [o \in Obligations |-> "issued"]
    /\ deliveries = [o \in Obligations |-> 0]
    /\ due = [o \in Obligations |-> 0]
    /\ deadline = [o \in Obligations |-> 0]
    /\ deferred = [o \in Obligations |-> FALSE]
    /\ protected = [o \in Obligations |-> FALSE]
    /\ late = [o \in Obligations |-> {}]
    /\ ledger = [o \in Obligations |-> "none"]
    /\ effects = [o \in Obligations |-> 0]
    /\ up = [s \in Sides |-> TRUE]
    /\ copies = {}
    /\ answers = {}
    /\ now = 0
    /\ skew \in (-MaxSkew)..MaxSkew

-----------------------------------------------------------------------------
(* Processes and time                                                      *)

(***************************************************************************)
(* What a fate does to the process, and whether the transaction and the    *)
(* message come to pass.                                                   *)
(***************************************************************************)
Survives(side, fate) ==
    /\ up[side]
    /\ up' = IF fate = "done" THEN up ELSE [up EXCEPT ![side] = FALSE]

Commits(fate) == fate \in {"done", "after"}

Put(fate, net, message) == IF fate = "done" THEN net \cup {message} ELSE net

(***************************************************************************)
(* Either process may die between two steps too, and starts again on what  *)
(* it committed.                                                           *)
(***************************************************************************)
Crash(side) ==
    /\ up[side]
    /\ up' = [up EXCEPT ![side] = FALSE]
    /\ UNCHANGED <<custody, reception, channel, now, skew>>

Resume(side) ==
    /\ ~up[side]
    /\ up' = [up EXCEPT ![side] = TRUE]
    /\ UNCHANGED <<custody, reception, channel, now, skew>>

(***************************************************************************)
(* Time passes whether or not anyone acts: a custodian may be down, or     *)
(* slow, beyond the deadline.  Only the bound asks that each obligation be *)
(* issued early enough for its deadline to lie within the horizon.         *)
(***************************************************************************)
Tick ==
    /\ now < Horizon
    /\ \A o \in Obligations :
          status[o] = "issued" => now + 1 + Window <= Horizon
    /\ now' = now + 1
    /\ UNCHANGED <<custody, reception, up, channel, skew>>

LoseCopy(o) ==
    /\ o \in copies
    /\ copies' = copies \ {o}
    /\ UNCHANGED <<custody, reception, up, answers, now, skew>>

LoseAnswer(o, answer) ==
    /\ <<o, answer>> \in answers
    /\ answers' = answers \ {<<o, answer>>}
    /\ UNCHANGED <<custody, reception, up, copies, now, skew>>

-----------------------------------------------------------------------------
(* The custodian                                                           *)

Pending(o) == status[o] = "pending"
Expired(o) == now >= deadline[o]

(***************************************************************************)
(* Acceptance is durable before the first delivery (AB-1), with an         *)
(* absolute deadline.  An inadmissible obligation is recorded and sent     *)
(* once (AC-1): if the process dies in between, it is lost, as             *)
(* best-effort may be.                                                     *)
(***************************************************************************)
Accept(o, fate) ==
    /\ status[o] = "issued"
    /\ Survives("custodian", fate)
    /\ IF ~Commits(fate) THEN UNCHANGED <<custody, copies>> ELSE
          /\ status' = [status EXCEPT ![o] =
                IF o \in Admissible THEN "pending" ELSE "best_effort"]
          /\ due' = [due EXCEPT ![o] = now]
          /\ deadline' = [deadline EXCEPT ![o] = now + Window]
          /\ IF o \in Admissible
                THEN UNCHANGED <<deliveries, copies>>
                ELSE /\ deliveries' = [deliveries EXCEPT ![o] = 1]
                     /\ copies' = Put(fate, copies, o)
          /\ UNCHANGED <<deferred, protected, late>>
    /\ UNCHANGED <<reception, answers, now, skew>>

(***************************************************************************)
(* A delivery is due when the running wait has ended, budget is left and   *)
(* the deadline has not come (AB-2).  It is counted before it is sent, so  *)
(* that no crash refills the budget.  The wait after it is one tick.       *)
(***************************************************************************)
Attempt(o, fate) ==
    /\ Pending(o)
    /\ ~Expired(o)
    /\ now >= due[o]
    /\ deliveries[o] <= MaxRetries
    /\ Survives("custodian", fate)
    /\ IF ~Commits(fate) THEN UNCHANGED <<custody, copies>> ELSE
          /\ deliveries' = [deliveries EXCEPT ![o] = @ + 1]
          /\ due' = [due EXCEPT ![o] = now + 1]
          /\ copies' = Put(fate, copies, o)
          /\ UNCHANGED <<status, deadline, deferred, protected, late>>
    /\ UNCHANGED <<reception, answers, now, skew>>

(***************************************************************************)
(* The terminal state, safe(O) and the escalation are one transaction      *)
(* (AB-4), which needs nobody's cooperation.                               *)
(***************************************************************************)
FailSafe(o) ==
    /\ status' = [status EXCEPT ![o] = "escalated"]
    /\ protected' = [protected EXCEPT ![o] = TRUE]
    /\ UNCHANGED <<deliveries, due, deadline, deferred>>

Escalate(o, fate) ==
    /\ Pending(o)
    /\ Survives("custodian", fate)
    /\ IF Commits(fate) THEN FailSafe(o) /\ UNCHANGED late
                        ELSE UNCHANGED custody
    /\ UNCHANGED <<reception, channel, now, skew>>

EscalateByDeadline(o, fate) == Expired(o) /\ Escalate(o, fate)

EscalateByBudget(o, fate) ==
    /\ ~Expired(o)
    /\ now >= due[o]
    /\ deliveries[o] > MaxRetries
    /\ Escalate(o, fate)

(***************************************************************************)
(* An answer arrives.  In time it settles the obligation or says that the  *)
(* receiver defers.  At the deadline the fail-safe goes first, and the     *)
(* answer is kept, in a second transaction, for the principal to see.      *)
(* After the escalation it is kept and reopens nothing.  Any other answer  *)
(* is a repetition, of which the spec keeps nothing.                       *)
(***************************************************************************)
Settle(o, answer) ==
    /\ status' = [status EXCEPT ![o] = answer]
    /\ protected' = [protected EXCEPT ![o] =
          answer = "declined" /\ ProtectOnDecline]
    /\ UNCHANGED <<deliveries, due, deadline, deferred, late>>

MarkDeferred(o) ==
    /\ deferred' = [deferred EXCEPT ![o] = TRUE]
    /\ UNCHANGED <<status, deliveries, due, deadline, protected, late>>

Keep(o, answer) == late' = [late EXCEPT ![o] = @ \cup {answer}]

Takes(o, answer, fate) ==
    IF Pending(o) /\ Expired(o)
        THEN /\ FailSafe(o)
             /\ IF fate = "done" THEN Keep(o, answer) ELSE UNCHANGED late
    ELSE IF Pending(o) /\ answer \in Final THEN Settle(o, answer)
    ELSE IF Pending(o) THEN MarkDeferred(o)
    ELSE IF status[o] = "escalated"
        THEN /\ Keep(o, answer)
             /\ UNCHANGED <<status, deliveries, due, deadline, deferred>>
             /\ UNCHANGED protected
    ELSE UNCHANGED custody

ReceiveAnswer(o, answer, fate) ==
    /\ <<o, answer>> \in answers
    /\ Survives("custodian", fate)
    /\ IF Commits(fate) THEN Takes(o, answer, fate) ELSE UNCHANGED custody
    /\ UNCHANGED <<reception, channel, now, skew>>

(***************************************************************************)
(* An answer that names o and answers other content than o's, perhaps      *)
(* before there is any.                                                    *)
(***************************************************************************)
ReceiveForeignAnswer(o, answer) ==
    /\ up["custodian"]
    /\ UNCHANGED vars

-----------------------------------------------------------------------------
(* The receiver                                                            *)

ExpiredThere(o) == now + skew >= deadline[o]

May(o, answer) ==
    \/ answer = "applied"
    \/ answer = "declined" /\ o \in Declinable
    \/ answer = "deferred" /\ o \in Deferrable

(***************************************************************************)
(* What the application would answer is carried out, unless the obligation *)
(* has expired by the receiver's clock: then it is declined.  Entry and    *)
(* effect are one transaction (AB-3), and the answer leaves after it.      *)
(***************************************************************************)
Enter(o, answer, fate) ==
    /\ IF Commits(fate)
          THEN /\ ledger' = [ledger EXCEPT ![o] = answer]
               /\ effects' = [effects EXCEPT ![o] =
                     IF answer = "applied" THEN @ + 1 ELSE @]
          ELSE UNCHANGED reception
    /\ answers' = Put(fate, answers, <<o, answer>>)

Decides(o, answer, fate) ==
    Enter(o, IF ExpiredThere(o) THEN "declined" ELSE answer, fate)

(***************************************************************************)
(* A copy arrives at a receiver whose application would give this answer.  *)
(* If one stands it is repeated, whatever the application would say now    *)
(* (AB-3); a deferred one stands until it expires or is resolved.          *)
(***************************************************************************)
Stands(o) ==
    \/ ledger[o] \in Final
    \/ ledger[o] = "deferred" /\ ~ExpiredThere(o)

Receive(o, answer, fate) ==
    /\ o \in copies
    /\ May(o, answer)
    /\ Survives("receiver", fate)
    /\ IF Stands(o)
          THEN /\ Commits(fate)                  \* there is no transaction
               /\ answers' = Put(fate, answers, <<o, ledger[o]>>)
               /\ UNCHANGED reception
          ELSE Decides(o, answer, fate)
    /\ UNCHANGED <<custody, copies, now, skew>>

(***************************************************************************)
(* The application answers what it had deferred, of its own accord.        *)
(***************************************************************************)
Resolve(o, answer, fate) ==
    /\ ledger[o] = "deferred"
    /\ May(o, answer)
    /\ answer \in Final
    /\ Survives("receiver", fate)
    /\ Decides(o, answer, fate)
    /\ UNCHANGED <<custody, copies, now, skew>>

-----------------------------------------------------------------------------
Next ==
    \/ \E side \in Sides : Crash(side) \/ Resume(side)
    \/ Tick
    \/ \E o \in Obligations :
          \/ LoseCopy(o)
          \/ \E answer \in Answers :
                \/ LoseAnswer(o, answer)
                \/ ReceiveForeignAnswer(o, answer)
          \/ \E fate \in Fates :
                \/ Accept(o, fate)
                \/ Attempt(o, fate)
                \/ EscalateByDeadline(o, fate)
                \/ EscalateByBudget(o, fate)
          \/ \E answer \in Answers, fate \in Fates :
                \/ ReceiveAnswer(o, answer, fate)
                \/ Receive(o, answer, fate)
                \/ Resolve(o, answer, fate)

(***************************************************************************)
(* The paper's assumption, and no more: the custodian eventually resumes   *)
(* and acts, however often it dies on the way.  Strong fairness, because a *)
(* crash keeps disabling what it is about to do.  The receiver and the     *)
(* channel owe nothing.                                                    *)
(***************************************************************************)
Acts(o) ==
    \/ Accept(o, "done")
    \/ Attempt(o, "done")
    \/ EscalateByDeadline(o, "done")
    \/ EscalateByBudget(o, "done")

Fairness ==
    /\ WF_vars(Tick)
    /\ WF_vars(Resume("custodian"))
    /\ \A o \in Obligations : SF_vars(Acts(o))

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
(* Safety: of states                                                       *)

TypeOK ==
    /\ status \in [Obligations ->
          Reported \cup {"issued", "pending", "best_effort"}]
    /\ deliveries \in [Obligations -> Nat]
    /\ due \in [Obligations -> Nat]
    /\ deadline \in [Obligations -> Nat]
    /\ deferred \in [Obligations -> BOOLEAN]
    /\ protected \in [Obligations -> BOOLEAN]
    /\ late \in [Obligations -> SUBSET Answers]
    /\ ledger \in [Obligations -> Answers \cup {"none"}]
    /\ effects \in [Obligations -> Nat]
    /\ up \in [Sides -> BOOLEAN]
    /\ copies \subseteq Obligations
    /\ answers \subseteq Obligations \X Answers
    /\ now \in 0..Horizon
    /\ skew \in (-MaxSkew)..MaxSkew

DurableBeforeSent ==                                               \* AB-1
    \A o \in copies : status[o] # "issued" /\ deliveries[o] > 0

BoundedRetries ==                                                  \* AB-2
    \A o \in Obligations : deliveries[o] <= MaxRetries + 1

WaitsEndByTheDeadline ==                                           \* AB-2
    \A o \in Obligations : due[o] <= deadline[o]

EffectivelyOnce ==                                                 \* AB-3
    \A o \in Obligations : effects[o] <= 1

LedgerTellsTheEffect ==                                            \* AB-3
    \A o \in Obligations : ledger[o] = "applied" <=> effects[o] > 0

(***************************************************************************)
(* Whatever answer is under way, or was taken or kept by the custodian,    *)
(* the receiver had committed to it before.                                *)
(***************************************************************************)
Committed(o, answer) ==
    \/ ledger[o] = answer
    \/ answer = "deferred" /\ ledger[o] # "none"

AnswersAttest ==                                                   \* AB-3
    \A o \in Obligations :
        /\ \A answer \in Answers :
              <<o, answer>> \in answers => Committed(o, answer)
        /\ \A answer \in late[o] : Committed(o, answer)
        /\ status[o] \in Final => Committed(o, status[o])

EscalatedImpliesSafe ==                                            \* AB-4
    \A o \in Obligations : status[o] = "escalated" => protected[o]

NoSilentTerminal ==
    \A o \in Admissible :
        \/ status[o] \in Reported \cup {"issued"}
        \/ /\ Pending(o)
           /\ due[o] <= Horizon

BenignStaysBestEffort ==                                           \* AC-1
    \A o \in Benign :
        /\ status[o] \in {"issued", "best_effort"}
        /\ deliveries[o] <= 1
        /\ ~protected[o]

-----------------------------------------------------------------------------
(* Safety: of steps                                                        *)

DeadlineStands ==
    [][\A o \in Obligations :
          status[o] # "issued" => deadline'[o] = deadline[o]]_vars

BudgetIsNeverRefilled ==                                           \* AB-2
    [][\A o \in Obligations : deliveries'[o] >= deliveries[o]]_vars

ExpiredIsNotRetried ==                                             \* AB-4
    [][\A o \in Admissible :
          deliveries'[o] > deliveries[o] => now < deadline[o]]_vars

ExpiredIsNeverApplied ==
    [][\A o \in Obligations :
          effects'[o] > effects[o] => now + skew < deadline[o]]_vars

AnswersStand ==                                                    \* AB-3
    [][\A o \in Obligations :
          /\ ledger[o] \in Final => ledger'[o] = ledger[o]
          /\ ledger[o] # "none" => ledger'[o] # "none"]_vars

LateAnswersAreKept ==
    [][\A o \in Obligations : late[o] \subseteq late'[o]]_vars

(* Liveness                                                                *)

DeliverOrReport == \A o \in Admissible : <>(status[o] \in Reported)

(* Refinement: what the principal sees is the contract, as it stands.      *)

Restrict(f) == [o \in Admissible |-> f[o]]

Contract ==
    INSTANCE Contract WITH
        outcome <- [o \in Admissible |->
                       IF status[o] \in Reported THEN status[o] ELSE "none"],
        effects <- Restrict(effects),
        protected <- Restrict(protected)

RefinesContract == Contract!Spec

(* Without its fairness, for instances too large for liveness.             *)

RefinesContractStepwise == Contract!Init /\ [][Contract!Next]_Contract!vars
=============================================================================
