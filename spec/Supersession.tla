---------------------------- MODULE Supersession ----------------------------
(***************************************************************************)
(* Decisions on one governed key, which supersede each other: consents     *)
(* granted and revoked (abhyasa, section 5), numbered as they were issued. *)
(* They are issued, delivered, answered and given up in any order, and     *)
(* neither side may ever fall back behind a newer decision.                *)
(*                                                                         *)
(* A decision is its sequence: the higher one is the newer one.  A         *)
(* message that was sent may arrive at any time, as often as it likes; one *)
(* that is lost never arrives.  There is no clock: the fail-safe of a      *)
(* pending decision may fire at any time.                                  *)
(*                                                                         *)
(* Either side may die and start again.  While it is down nothing of it    *)
(* changes, and without a clock nothing tells how long that is, so both    *)
(* are one step.  It matters only between a commit and its message: a      *)
(* receiver's step has a fate.  It is done, message and all; or the        *)
(* process dies after the commit, before the answer has left.  (Deaths     *)
(* before and inside a transaction are the matter of DurableCustody.)      *)
(***************************************************************************)
EXTENDS Naturals

CONSTANTS
    Decisions,          \* their sequences, from 1
    Grants,             \* those that permit; the others revoke
    Declinable,         \* those that the receiver's application may decline
    Deferrable,         \* those that it may put off and answer later
    ProtectOnDecline    \* whether a decline applies safe(O) too

ASSUME /\ Decisions \subseteq Nat \ {0}
       /\ Grants \cup Declinable \cup Deferrable \subseteq Decisions
       /\ ProtectOnDecline \in BOOLEAN

VARIABLES
    status,             \* where the custody of each decision stands
    permits,            \* the pending grants that nothing has withdrawn
    protected,          \* the decisions whose safe(O) was applied
    ledger,             \* what the receiver answered
    newest,             \* the newest decision that holds, on each side
    authority,          \* what holds, on each side
    copies,             \* the decisions that were sent
    answers             \* the answers that were sent, deferrals apart

vars == <<status, permits, protected, ledger, newest, authority,
          copies, answers>>

Sides == {"principal", "receiver"}
Final == {"applied", "declined"}
Answers == Final \cup {"deferred"}
Reported == Final \cup {"escalated"}
Fates == {"done", "after"}

Init ==
    /\ status = [d \in Decisions |-> "unissued"]
    /\ permits = {}
    /\ protected = {}
    /\ ledger = [d \in Decisions |-> "none"]
    /\ newest = [s \in Sides |-> 0]
    /\ authority = [s \in Sides |-> "unset"]
    /\ copies = {}
    /\ answers = {}

-----------------------------------------------------------------------------
(***************************************************************************)
(* The guard: what is older than the newest decision that holds on a side  *)
(* changes nothing there.                                                  *)
(***************************************************************************)
Superseded(d, side) == d < newest[side]

Holds(d, side, value) ==
    /\ newest' = [newest EXCEPT ![side] = d]
    /\ authority' = [authority EXCEPT ![side] = value]

HoldsUnlessSuperseded(d, side, value) ==
    IF Superseded(d, side) THEN UNCHANGED <<newest, authority>>
                           ELSE Holds(d, side, value)

(***************************************************************************)
(* safe(O) of every decision withholds the authority; it too gives way to  *)
(* a newer decision.                                                       *)
(***************************************************************************)
Protect(d) ==
    /\ HoldsUnlessSuperseded(d, "principal", "withheld")
    /\ protected' = IF Superseded(d, "principal") THEN protected
                                                  ELSE protected \cup {d}

(***************************************************************************)
(* The principal decides.  A revocation holds on the principal's side at   *)
(* once, and withdraws what the older grants that are pending would have   *)
(* permitted.  A grant holds once it is applied.                           *)
(***************************************************************************)
Issue(d) ==
    /\ status[d] = "unissued"
    /\ status' = [status EXCEPT ![d] = "pending"]
    /\ IF d \in Grants
          THEN /\ permits' = permits \cup {d}
               /\ UNCHANGED <<newest, authority>>
          ELSE /\ permits' = IF Superseded(d, "principal") THEN permits
                             ELSE {g \in permits : g > d}
               /\ HoldsUnlessSuperseded(d, "principal", "withheld")
    /\ UNCHANGED <<protected, ledger, copies, answers>>

(***************************************************************************)
(* Another decision with the sequence of one that was issued is refused,   *)
(* for neither would be the newer one.                                     *)
(***************************************************************************)
IssueRival(d) ==
    /\ status[d] # "unissued"
    /\ UNCHANGED vars

(***************************************************************************)
(* A pending decision is sent.  (That it is sent again changes nothing; a  *)
(* delivery that was counted and not sent is as good as none.)             *)
(***************************************************************************)
Deliver(d) ==
    /\ status[d] = "pending"
    /\ d \notin copies
    /\ copies' = copies \cup {d}
    /\ UNCHANGED <<status, permits, protected, ledger, newest, authority>>
    /\ UNCHANGED answers

(***************************************************************************)
(* The receiver carries out what its application answers, unless a newer   *)
(* decision was applied: then it declines.  An answer that stands is       *)
(* repeated.  A deferral changes nothing at the custodian (DurableCustody  *)
(* keeps it), so only final answers are sent here.                         *)
(***************************************************************************)
May(d, answer) ==
    \/ answer = "applied"
    \/ answer = "declined" /\ d \in Declinable
    \/ answer = "deferred" /\ d \in Deferrable

Effect(d) == IF d \in Grants THEN "permitted" ELSE "withheld"

Sent(d, answer, fate) ==
    IF fate = "done" /\ answer \in Final THEN answers \cup {<<d, answer>>}
                                         ELSE answers

Enter(d, answer, fate) ==
    /\ ledger' = [ledger EXCEPT ![d] = answer]
    /\ IF answer = "applied" THEN Holds(d, "receiver", Effect(d))
                             ELSE UNCHANGED <<newest, authority>>
    /\ answers' = Sent(d, answer, fate)

Decides(d, answer, fate) ==
    Enter(d, IF Superseded(d, "receiver") THEN "declined" ELSE answer, fate)

Receive(d, answer, fate) ==
    /\ d \in copies
    /\ May(d, answer)
    /\ IF ledger[d] = "none"
          THEN Decides(d, answer, fate)
          ELSE /\ answers' = Sent(d, ledger[d], fate)
               /\ UNCHANGED <<ledger, newest, authority>>
    /\ UNCHANGED <<status, permits, protected, copies>>

Resolve(d, answer, fate) ==
    /\ ledger[d] = "deferred"
    /\ May(d, answer)
    /\ answer \in Final
    /\ Decides(d, answer, fate)
    /\ UNCHANGED <<status, permits, protected, copies>>

(***************************************************************************)
(* An answer arrives at the custodian.  A grant that was applied, and that *)
(* nothing has withdrawn, holds from now on; a decline may ask for         *)
(* safe(O).                                                                *)
(***************************************************************************)
Applied(d) ==
    /\ HoldsUnlessSuperseded(d, "principal",
          IF d \in permits THEN "permitted" ELSE authority["principal"])
    /\ UNCHANGED protected

Declined(d) ==
    IF ProtectOnDecline THEN Protect(d)
                        ELSE UNCHANGED <<protected, newest, authority>>

ReceiveAnswer(d, answer) ==
    /\ <<d, answer>> \in answers
    /\ IF status[d] = "pending"
          THEN /\ status' = [status EXCEPT ![d] = answer]
               /\ permits' = permits \ {d}
               /\ IF answer = "applied" THEN Applied(d) ELSE Declined(d)
          ELSE UNCHANGED <<status, permits, protected, newest, authority>>
    /\ UNCHANGED <<ledger, copies, answers>>

(***************************************************************************)
(* The fail-safe: the loss is reported, whatever supersedes the decision.  *)
(***************************************************************************)
Escalate(d) ==
    /\ status[d] = "pending"
    /\ status' = [status EXCEPT ![d] = "escalated"]
    /\ permits' = permits \ {d}
    /\ Protect(d)
    /\ UNCHANGED <<ledger, copies, answers>>

(***************************************************************************)
(* A side that dies between two steps is where it was: all is durable.     *)
(***************************************************************************)
Restart(side) == UNCHANGED vars

Next ==
    \/ \E d \in Decisions :
          \/ Issue(d)
          \/ IssueRival(d)
          \/ Deliver(d)
          \/ Escalate(d)
    \/ \E d \in Decisions, answer \in Final : ReceiveAnswer(d, answer)
    \/ \E d \in Decisions, answer \in Answers, fate \in Fates :
          \/ Receive(d, answer, fate)
          \/ Resolve(d, answer, fate)
    \/ \E side \in Sides : Restart(side)

(***************************************************************************)
(* The principal issues what there is to issue, and the custodian acts,    *)
(* however often it dies on the way.                                       *)
(***************************************************************************)
Fairness ==
    \A d \in Decisions : WF_vars(Issue(d)) /\ WF_vars(Escalate(d))

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
(* Safety                                                                  *)

TypeOK ==
    /\ status \in [Decisions -> Reported \cup {"unissued", "pending"}]
    /\ permits \subseteq Grants
    /\ protected \subseteq Decisions
    /\ ledger \in [Decisions -> Answers \cup {"none"}]
    /\ newest \in [Sides -> Decisions \cup {0}]
    /\ authority \in [Sides -> {"unset", "permitted", "withheld"}]
    /\ copies \subseteq Decisions
    /\ answers \subseteq Decisions \X Final

(***************************************************************************)
(* The receiver honours the newest decision that it ever applied.          *)
(***************************************************************************)
ReceiverHonoursTheNewest ==
    LET applied == {d \in Decisions : ledger[d] = "applied"}
    IN  IF applied = {} THEN authority["receiver"] = "unset" ELSE
           \E d \in applied :
              /\ \A e \in applied : e <= d
              /\ newest["receiver"] = d
              /\ authority["receiver"] = Effect(d)

(***************************************************************************)
(* Nothing is permitted on the principal's side but by a grant that the    *)
(* receiver applied, which is the newest decision there.                   *)
(***************************************************************************)
PermittedIsConfirmed ==
    authority["principal"] = "permitted" =>
        LET d == newest["principal"]
        IN  d \in Grants /\ status[d] = "applied" /\ ledger[d] = "applied"

(***************************************************************************)
(* An issued revocation is never gated on an answer (section 5), nor       *)
(* undone by anything older.                                               *)
(***************************************************************************)
RevocationHolds ==
    \A d \in Decisions \ Grants :
        status[d] # "unissued" => newest["principal"] >= d

EscalatedImpliesSafeOrNewer ==                                     \* AB-4
    \A d \in Decisions : status[d] = "escalated" =>
        d \in protected \/ newest["principal"] > d

AnswersAttest ==                                                   \* AB-3
    \A d \in Decisions :
        /\ \A answer \in Final :
              <<d, answer>> \in answers => ledger[d] = answer
        /\ status[d] \in Final => ledger[d] = status[d]

NeverRegresses ==
    [][\A side \in Sides :
          /\ newest'[side] >= newest[side]
          /\ authority'[side] # authority[side] =>
                newest'[side] > newest[side]
             \/ (authority'[side] = "withheld"
                 /\ newest'[side] = newest[side])]_vars

(* Liveness                                                                *)

DeliverOrReport == \A d \in Decisions : <>(status[d] \in Reported)

(* Refinement: a newer decision that holds has the place of safe(O).       *)

Contract ==
    INSTANCE Contract WITH
        Admissible <- Decisions,
        outcome <- [d \in Decisions |->
                       IF status[d] \in Reported THEN status[d] ELSE "none"],
        effects <- [d \in Decisions |->
                       IF ledger[d] = "applied" THEN 1 ELSE 0],
        protected <- [d \in Decisions |->
                         \/ d \in protected
                         \/ /\ status[d] = "escalated"
                            /\ newest["principal"] > d]

RefinesContract == Contract!Spec
=============================================================================
