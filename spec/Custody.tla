------------------------------- MODULE Custody ------------------------------
(***************************************************************************)
(* The custody machine (abhyasa, section 4) over an adversarial channel    *)
(* that loses, duplicates and delays obligations and acknowledgments.      *)
(* Storage and crashes are not modelled here.                              *)
(*                                                                         *)
(* A failed attempt is a timer that fires unanswered: its copy is lost, or *)
(* merely late.  So a copy may still be applied or declined, and           *)
(* acknowledged, when every permitted delivery has been used and none is   *)
(* left to send.  Each obligation has a clock of its own, and one failed   *)
(* attempt is one tick of it.                                              *)
(***************************************************************************)
EXTENDS Naturals

CONSTANTS
    Obligations,        \* everything that is issued
    Admissible,         \* those that declare a fail-safe polarity (AC-1)
    MaxRetries,         \* redeliveries allowed after the first delivery
    Deadline,           \* ticks from acceptance to the fail-safe
    ProtectOnDecline    \* whether a decline applies safe(O) too

ASSUME /\ Admissible \subseteq Obligations
       /\ MaxRetries \in Nat
       /\ Deadline \in Nat \ {0}
       /\ ProtectOnDecline \in BOOLEAN

VARIABLES
    state,              \* where each obligation's custody stands
    attempts,           \* deliveries that have failed
    effects,            \* how often it took effect at the receiver
    protected,          \* whether safe(O) has been applied to the principal
    clock               \* ticks since it was accepted

vars == <<state, attempts, effects, protected, clock>>

Benign == Obligations \ Admissible

Reported == {"applied", "declined", "escalated"}

Init ==
    /\ state = [o \in Obligations |->
                    IF o \in Admissible THEN "pending" ELSE "issued"]
    /\ attempts = [o \in Obligations |-> 0]
    /\ effects = [o \in Obligations |-> 0]
    /\ protected = [o \in Obligations |-> FALSE]
    /\ clock = [o \in Obligations |-> 0]

-----------------------------------------------------------------------------
(***************************************************************************)
(* Nothing but the fail-safe is enabled once the deadline is reached: a    *)
(* receiver never applies an expired obligation, nor is an answer taken    *)
(* from then on.                                                           *)
(***************************************************************************)
InTime(o) == state[o] = "pending" /\ clock[o] < Deadline

(***************************************************************************)
(* A copy reaches the receiver, which applies it, or recognises it as      *)
(* applied before (AB-3), and the acknowledgment comes back.               *)
(***************************************************************************)
Apply(o) ==
    /\ InTime(o)
    /\ state' = [state EXCEPT ![o] = "applied"]
    /\ effects' = [effects EXCEPT ![o] = 1]
    /\ UNCHANGED <<attempts, protected, clock>>

(***************************************************************************)
(* The receiver accountably refuses, which it may do only before it has    *)
(* applied.  A decline is a delivered outcome and is not retried.          *)
(***************************************************************************)
Decline(o) ==
    /\ InTime(o)
    /\ effects[o] = 0
    /\ state' = [state EXCEPT ![o] = "declined"]
    /\ protected' = [protected EXCEPT ![o] = ProtectOnDecline]
    /\ UNCHANGED <<attempts, effects, clock>>

AttemptFails(o) ==
    /\ InTime(o)
    /\ attempts[o] <= MaxRetries
    /\ attempts' = [attempts EXCEPT ![o] = @ + 1]
    /\ clock' = [clock EXCEPT ![o] = @ + 1]
    /\ UNCHANGED <<state, protected>>

(***************************************************************************)
(* The attempt is lost, the obligation or the acknowledgment, before       *)
(* anything was applied by it.                                             *)
(***************************************************************************)
Lose(o) == AttemptFails(o) /\ UNCHANGED effects

(***************************************************************************)
(* The receiver applies, or recognises, and its acknowledgment is lost: a  *)
(* redelivery must not reapply (AB-3).                                     *)
(***************************************************************************)
LoseAck(o) == AttemptFails(o) /\ effects' = [effects EXCEPT ![o] = 1]

(***************************************************************************)
(* AB-4, on the deadline or on exhaustion of the retries, whichever occurs *)
(* first: safe(O) and the escalation, without remote cooperation.          *)
(***************************************************************************)
FailSafe(o) ==
    /\ state' = [state EXCEPT ![o] = "escalated"]
    /\ protected' = [protected EXCEPT ![o] = TRUE]
    /\ UNCHANGED <<attempts, effects, clock>>

EscalateByDeadline(o) ==
    /\ state[o] = "pending"
    /\ clock[o] >= Deadline
    /\ FailSafe(o)

EscalateByBudget(o) ==
    /\ InTime(o)
    /\ attempts[o] > MaxRetries
    /\ FailSafe(o)

(***************************************************************************)
(* What the custodian does by itself: its timer fires, and the attempt has *)
(* failed or the fail-safe is due.                                         *)
(***************************************************************************)
TimerFires(o) ==
    \/ Lose(o)
    \/ LoseAck(o)
    \/ EscalateByDeadline(o)
    \/ EscalateByBudget(o)

(***************************************************************************)
(* An inadmissible obligation is sent once and forgotten (AC-1): whether   *)
(* it takes effect is outside this machine.                                *)
(***************************************************************************)
SendBestEffort(o) ==
    /\ state[o] = "issued"
    /\ state' = [state EXCEPT ![o] = "best_effort"]
    /\ UNCHANGED <<attempts, effects, protected, clock>>

(***************************************************************************)
(* When all is settled the system stutters, so that TLC, which looks for   *)
(* deadlock, finds none.                                                   *)
(***************************************************************************)
Settled ==
    /\ \A o \in Obligations : state[o] \in Reported \cup {"best_effort"}
    /\ UNCHANGED vars

Next ==
    \/ \E o \in Admissible :
          \/ Apply(o)
          \/ Decline(o)
          \/ TimerFires(o)
    \/ \E o \in Benign : SendBestEffort(o)
    \/ Settled

(***************************************************************************)
(* Fairness covers the custodian alone: its timers fire and it acts on     *)
(* them.  The channel and the receiver owe nothing, so a channel that      *)
(* delivers nothing must still end in escalation.  (Weak fairness of Next  *)
(* would let an Apply stand in for a deleted escalation, and fairness of   *)
(* an action that Next lacks would exclude the behaviours that get stuck.) *)
(***************************************************************************)
Fairness == \A o \in Admissible : WF_vars(TimerFires(o))

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
(* Safety                                                                  *)

TypeOK ==
    /\ state \in [Obligations ->
                     Reported \cup {"pending", "issued", "best_effort"}]
    /\ attempts \in [Obligations -> Nat]
    /\ effects \in [Obligations -> Nat]
    /\ protected \in [Obligations -> BOOLEAN]
    /\ clock \in [Obligations -> 0..Deadline]

BoundedRetries ==                                                  \* AB-2
    \A o \in Obligations : attempts[o] <= MaxRetries + 1

EffectivelyOnce ==                                                 \* AB-3
    \A o \in Obligations : effects[o] <= 1

AckAttestsApplication ==                                           \* AB-3
    \A o \in Obligations : state[o] = "applied" => effects[o] = 1

EscalatedImpliesSafe ==                                            \* AB-4
    \A o \in Obligations : state[o] = "escalated" => protected[o]

(***************************************************************************)
(* An admissible obligation is pending with a step of the custodian's      *)
(* open to it, or the principal has been told: nothing ends in silence.    *)
(***************************************************************************)
NoSilentTerminal ==
    \A o \in Admissible :
        \/ state[o] \in Reported
        \/ state[o] = "pending" /\ ENABLED TimerFires(o)

BenignStaysBestEffort ==                                           \* AC-1
    \A o \in Benign :
        /\ state[o] \in {"issued", "best_effort"}
        /\ attempts[o] = 0
        /\ effects[o] = 0
        /\ ~protected[o]

(* Liveness                                                                *)

DeliverOrReport == \A o \in Admissible : <>(state[o] \in Reported)

(* Refinement: what the principal sees of custody is the contract.         *)

Restrict(f) == [o \in Admissible |-> f[o]]

Contract ==
    INSTANCE Contract WITH
        outcome <- [o \in Admissible |->
                       IF state[o] \in Reported THEN state[o] ELSE "none"],
        effects <- Restrict(effects),
        protected <- Restrict(protected)

RefinesContract == Contract!Spec
=============================================================================
