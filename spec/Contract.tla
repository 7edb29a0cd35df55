------------------------------ MODULE Contract ------------------------------
(***************************************************************************)
(* Deliver-or-report (abhyasa, section 4), and nothing else.               *)
(*                                                                         *)
(* Whatever a custody machine does inside, this much is promised to the    *)
(* principal about each admissible obligation:                             *)
(*                                                                         *)
(*   1. an outcome is set once;                                            *)
(*   2. effects never exceed one, and none follows a decline;              *)
(*   3. escalated implies that safe(O) is applied;                         *)
(*   4. every admissible obligation gets an outcome.                       *)
(*                                                                         *)
(* The effect may stand before the outcome or follow it, and safe(O) may   *)
(* stand earlier than the escalation: a machine with crashes and with      *)
(* messages in flight has all of these and must refine this same file.     *)
(* Inadmissible obligations are promised nothing, so they do not occur.    *)
(***************************************************************************)
EXTENDS Naturals

CONSTANT Admissible     \* the obligations under custody (AC-1)

VARIABLES
    outcome,            \* what the principal has been told of each
    effects,            \* how often each took effect at its receiver
    protected           \* whether safe(O) has been applied for each

vars == <<outcome, effects, protected>>

Outcomes == {"applied", "declined", "escalated"}

TypeOK ==
    /\ outcome \in [Admissible -> Outcomes \cup {"none"}]
    /\ effects \in [Admissible -> 0..1]
    /\ protected \in [Admissible -> BOOLEAN]

Init ==
    /\ outcome = [o \in Admissible |-> "none"]
    /\ effects = [o \in Admissible |-> 0]
    /\ protected = [o \in Admissible |-> FALSE]

(***************************************************************************)
(* One obligation moves to outcome r, effect count e and protection p.     *)
(* Moving to where it stands is a step too: when all have their outcome    *)
(* the system stutters, which is no deadlock.                              *)
(***************************************************************************)
Move(o, r, e, p) ==
    /\ outcome[o] \in {"none", r}
    /\ effects[o] <= e
    /\ r = "declined" => e = effects[o]
    /\ protected[o] => p
    /\ r = "escalated" => p
    /\ outcome' = [outcome EXCEPT ![o] = r]
    /\ effects' = [effects EXCEPT ![o] = e]
    /\ protected' = [protected EXCEPT ![o] = p]

Next ==
    \E o \in Admissible, r \in Outcomes \cup {"none"}, e \in 0..1,
       p \in BOOLEAN : Move(o, r, e, p)

(***************************************************************************)
(* The fourth promise.  It equals the weak fairness of reaching an         *)
(* outcome, since every obligation without one can reach it; in this form  *)
(* no ENABLED need be evaluated through a refinement mapping.              *)
(***************************************************************************)
Fairness == \A o \in Admissible : <>(outcome[o] # "none")

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------

EscalatedImpliesSafe ==
    \A o \in Admissible : outcome[o] = "escalated" => protected[o]

OutcomesAreFinal ==                                           \* promise 1
    [][\A o \in Admissible :
          outcome[o] # "none" => outcome'[o] = outcome[o]]_vars

NoEffectFollowsADecline ==                                    \* promise 2
    [][\A o \in Admissible :
          outcome'[o] = "declined" => effects'[o] = effects[o]]_vars

NothingIsUndone ==
    [][\A o \in Admissible :
          /\ effects[o] <= effects'[o]
          /\ protected[o] => protected'[o]]_vars
=============================================================================
