------------------------------ MODULE Recovery ------------------------------
(***************************************************************************)
(* Permission to retry: one authorization instance, whose workers die and  *)
(* are replaced while its authority changes and its effect is uncertain.   *)
(* Nothing is scripted.  Authority is lost and given again, workers die    *)
(* and go on too late, transactions fail, requests commit late and in any  *)
(* order, answers are lost and keys expire, at any moment.                 *)
(*                                                                         *)
(* What a worker does is a sequence of acts: a transaction on the store,   *)
(* or a message to or from the provider.  Each is one step, and all else   *)
(* may happen between two of them.  All that a worker knows beside the     *)
(* store is the act that it will do next, and what that is about.          *)
(*                                                                         *)
(* A claim makes a worker the holder of the lease.  If the one before it   *)
(* lives it goes on as the former holder: its messages leave, and its      *)
(* transactions are refused.  Claims, deaths and lookups are not counted,  *)
(* so the histories are of any length.  Bounded are the dispatches, and    *)
(* those who live at once, to the holder and one former holder.            *)
(*                                                                         *)
(* Of the checker's rules the claims at the end have R3, R5, R7 and R9     *)
(* whole.  Of the others they leave to the checker and the model           *)
(*   R1   that requests are of the instance's scope and action,            *)
(*   R2, R4, R12   the want of an approval, a lease or a dependency,       *)
(*   R6   the numbers of leases, their ends, and who gets a heartbeat,     *)
(*   R8   which key a request carries,                                     *)
(*   R10, R11   the text of receipts: here a receipt is a delivery,        *)
(*   R13  that somebody reports and nothing stays pending; what may        *)
(*        happen at all is shown by probes, in the spec's tests,           *)
(*   R14  the names of workers: here, who asks is who sees.                *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Policy,             \* how the application recovers (section 4.1)
    Contracts,          \* those that the provider may have (section 3)
    Losses,             \* how authority may be lost, by reason of denial
    MaxLosses,          \* the bound on what of it is lost at a time
    MaxDispatches       \* the bound on the intents

Reasons == <<"cancelled", "revoked", "policy_changed",
             "approval_consumed", "approval_expired">>

Range(sequence) == {sequence[i] : i \in DOMAIN sequence}

ASSUME /\ Policy \in {"cached", "revalidate", "stable_key", "ledger"}
       /\ Contracts \subseteq {"P1", "P2", "P3"}
       /\ Losses \subseteq Range(Reasons)
       /\ MaxLosses \in Nat
       /\ MaxDispatches \in Nat \ {0}

VARIABLES
    (* the authority *)
    lost,               \* what of the authority does not stand
    approval,           \* which instance has consumed the approval
    (* durable in the application's store *)
    intents,            \* per dispatch the first of its delivery group
    reservation,        \* what is set aside for the effect
    observed,           \* the effect whose receipt was persisted
    charged,            \* how often the reservation was charged
    reported,           \* the last report that is on record
    (* volatile: the acts that the workers will do next *)
    worker,
    (* the provider's, which the application cannot see *)
    contract,           \* what it promises
    origin,             \* the delivery that an accepted one is taken for
    committed,          \* the deliveries that took effect
    window              \* whether its keys deduplicate

settlement == <<reservation, observed, charged>>
store == <<approval, intents, settlement, reported>>
provider == <<contract, origin, committed, window>>
vars == <<lost, store, worker, provider>>

Places == {"holder", "former"}      \* where a worker can be alive
Deliveries == 1..MaxDispatches      \* each by the number of its intent
Denials == Range(Reasons)
Final == Denials \cup {"success"}
Outcomes == Final \cup {"unknown"}

(***************************************************************************)
(* An act is about a delivery, or the effect of one; 0 is none.  The act   *)
(* of reporting an outcome goes by the name of the outcome.                *)
(***************************************************************************)
Messages == {"send", "hear", "look_up"}
Transactions == {"admit", "repeat", "observe", "settle"} \cup Outcomes
Acts == Messages \cup Transactions

To(act, about) == [act |-> act, about |-> about]
Down == To("down", 0)

Init ==
    /\ lost = {}
    /\ approval = "unused"
    /\ intents = << >>
    /\ reservation = "none"
    /\ observed = 0
    /\ charged = 0
    /\ reported = "nothing"
    /\ worker = [p \in Places |-> Down]
    /\ contract \in Contracts
    /\ origin = [d \in Deliveries |-> 0]
    /\ committed = {}
    /\ window = (contract = "P1")

-----------------------------------------------------------------------------
(* The authority                                                           *)

Missing ==
    lost \cup (IF approval = "theirs" THEN {"approval_consumed"} ELSE {})

Authorised == Missing = {}

IsMissing(reason) == reason \in Missing

Reason == Head(SelectSeq(Reasons, IsMissing))

(***************************************************************************)
(* Authority is lost: the run is cancelled, the grant revoked, the policy  *)
(* changed, the approval consumed by another instance, or expired.  What   *)
(* this instance has consumed itself is not lost to it.                    *)
(***************************************************************************)
Lose(loss) ==
    /\ loss \in Losses \ Missing
    /\ Cardinality(lost) < MaxLosses
    /\ IF loss = "approval_consumed"
          THEN /\ approval = "unused"
               /\ approval' = "theirs"
               /\ UNCHANGED lost
          ELSE /\ lost' = lost \cup {loss}
               /\ UNCHANGED approval
    /\ UNCHANGED <<intents, settlement, reported, worker, provider>>

(***************************************************************************)
(* The grant is given again.  Nothing else of the authority comes back.    *)
(***************************************************************************)
GrantAgain ==
    /\ "revoked" \in lost
    /\ lost' = lost \ {"revoked"}
    /\ UNCHANGED <<store, worker, provider>>

-----------------------------------------------------------------------------
(* Workers                                                                 *)

TurnsTo(p, act, about) == worker' = [worker EXCEPT ![p] = To(act, about)]

Ends(p) == worker' = [worker EXCEPT ![p] = Down]

(***************************************************************************)
(* A worker takes the instance over, and reads where it stands.  The       *)
(* holder, if it lives, becomes the former one.                            *)
(***************************************************************************)
Resumption ==
    IF reported \in Denials THEN To(reported, 0)
    ELSE IF observed # 0 THEN To("settle", observed)
    ELSE IF intents = << >> THEN To("admit", 0)
    ELSE IF Policy = "ledger" THEN To("look_up", Len(intents))
    ELSE To("repeat", 0)

Claim ==
    /\ Down \in Range(worker)
    /\ worker' = [holder |-> Resumption,
                  former |-> IF worker["holder"] = Down
                                THEN worker["former"]
                                ELSE worker["holder"]]
    /\ UNCHANGED <<lost, store, provider>>

(***************************************************************************)
(* A worker whose scope is another is denied, and changes nothing.         *)
(***************************************************************************)
StrangerAsks == UNCHANGED vars

(***************************************************************************)
(* The lease of its holder can be extended, and no other one.              *)
(***************************************************************************)
Heartbeat(p) ==
    /\ worker[p] # Down
    /\ UNCHANGED vars

(***************************************************************************)
(* A worker is killed between two acts.  What it committed stays, and what *)
(* it sent goes its way.                                                   *)
(***************************************************************************)
Die(p) ==
    /\ worker[p] # Down
    /\ Ends(p)
    /\ UNCHANGED <<lost, store, provider>>

(***************************************************************************)
(* A transaction fails and is rolled back, which ends the run.             *)
(***************************************************************************)
Fail(p) ==
    /\ worker[p].act \in Transactions
    /\ Ends(p)
    /\ UNCHANGED <<lost, store, provider>>

(***************************************************************************)
(* The former holder is refused, whatever it would write; that ends it.    *)
(***************************************************************************)
Fenced(p) == p = "former"

Refused(p) == Ends(p) /\ UNCHANGED store

(***************************************************************************)
(* The first dispatch is judged, and the approval consumed, the effect     *)
(* reserved and the intent written ahead, in one transaction.  A denial is *)
(* on record from then on: later its reason may have gone.                 *)
(***************************************************************************)
Admit(p) ==
    /\ worker[p].act = "admit"
    /\ IF Fenced(p) THEN Refused(p)
       ELSE IF ~Authorised
          THEN /\ reported' = Reason
               /\ TurnsTo(p, Reason, 0)
               /\ UNCHANGED <<approval, intents, settlement>>
       ELSE /\ approval' = "ours"
            /\ intents' = <<1>>
            /\ reservation' = "held"
            /\ TurnsTo(p, "send", 1)
            /\ UNCHANGED <<observed, charged, reported>>
    /\ UNCHANGED <<lost, provider>>

(***************************************************************************)
(* Three policies send again, with an intent of its own.  Revalidation     *)
(* asks for authority first, and does not know without it.  Stable key     *)
(* repeats the first key, and so joins the delivery group of that as long  *)
(* as the provider deduplicates.                                           *)
(***************************************************************************)
Again == Len(intents) + 1

Group == IF Policy = "stable_key" /\ window THEN 1 ELSE Again

Repeat(p) ==
    /\ worker[p].act = "repeat"
    /\ Len(intents) < MaxDispatches
    /\ IF Fenced(p) THEN Refused(p)
       ELSE IF Policy = "revalidate" /\ ~Authorised
          THEN TurnsTo(p, "unknown", 0) /\ UNCHANGED store
       ELSE /\ intents' = Append(intents, Group)
            /\ TurnsTo(p, "send", Again)
            /\ UNCHANGED <<approval, settlement, reported>>
    /\ UNCHANGED <<lost, provider>>

(***************************************************************************)
(* What was admitted is sent, even by a worker that was replaced since.    *)
(* While the key is registered the request is taken for the one that       *)
(* brought it.                                                             *)
(***************************************************************************)
Registered ==
    IF Policy = "stable_key" /\ window THEN Range(origin) \ {0} ELSE {}

Send(p) ==
    LET d == worker[p].about
    IN  /\ worker[p].act = "send"
        /\ origin' = [origin EXCEPT ![d] =
              IF Registered = {} THEN d ELSE CHOOSE o \in Registered : TRUE]
        /\ TurnsTo(p, "hear", d)
        /\ UNCHANGED <<lost, store, contract, committed, window>>

(***************************************************************************)
(* An effect that was seen is to be observed, if the lease is still held.  *)
(***************************************************************************)
Sees(p, effect) ==
    IF Fenced(p) THEN Ends(p) ELSE TurnsTo(p, "observe", effect)

Pending(d) == origin[d] = d /\ d \notin committed

(***************************************************************************)
(* The answer to a request has the receipt of its effect.  A repetition    *)
(* whose origin is pending is told just that; any other request is not     *)
(* answered before it has committed.  Answers may be lost.                 *)
(***************************************************************************)
Hear(p, answered) ==
    LET d == worker[p].about
    IN  /\ worker[p].act = "hear"
        /\ answered => ~Pending(d)
        /\ IF answered /\ origin[d] \in committed
              THEN Sees(p, origin[d]) ELSE TurnsTo(p, "unknown", 0)
        /\ UNCHANGED <<lost, store, provider>>

(***************************************************************************)
(* Ledger reconciliation asks what became of the delivery, and never sends *)
(* again.  What is pending cannot be told from what never came.            *)
(***************************************************************************)
LookUp(p, answered) ==
    LET d == worker[p].about
    IN  /\ worker[p].act = "look_up"
        /\ IF answered /\ contract # "P3" /\ origin[d] \in committed
              THEN Sees(p, origin[d]) ELSE TurnsTo(p, "unknown", 0)
        /\ UNCHANGED <<lost, store, provider>>

(***************************************************************************)
(* What was seen is made durable before it is settled.  Neither asks for   *)
(* write authority.                                                        *)
(***************************************************************************)
Observe(p) ==
    /\ worker[p].act = "observe"
    /\ IF Fenced(p) THEN Refused(p)
       ELSE /\ observed' = worker[p].about
            /\ TurnsTo(p, "settle", worker[p].about)
            /\ UNCHANGED <<approval, intents, reservation>>
            /\ UNCHANGED <<charged, reported>>
    /\ UNCHANGED <<lost, provider>>

(***************************************************************************)
(* A settlement that is made again charges nothing.                        *)
(***************************************************************************)
Settle(p) ==
    /\ worker[p].act = "settle"
    /\ IF Fenced(p) THEN Refused(p)
       ELSE /\ charged' = 1
            /\ reservation' = "charged"
            /\ TurnsTo(p, "success", 0)
            /\ UNCHANGED <<approval, intents, observed, reported>>
    /\ UNCHANGED <<lost, provider>>

(***************************************************************************)
(* The host is told, and the run ends.  Whoever claims the instance later  *)
(* goes on from what is durable.                                           *)
(***************************************************************************)
Report(p) ==
    /\ worker[p].act \in Outcomes
    /\ IF Fenced(p) THEN Refused(p)
       ELSE /\ reported' = worker[p].act
            /\ Ends(p)
            /\ UNCHANGED <<approval, intents, settlement>>
    /\ UNCHANGED <<lost, provider>>

-----------------------------------------------------------------------------
(* The provider                                                            *)

(***************************************************************************)
(* What was accepted commits at any time, and cannot be cancelled.         *)
(***************************************************************************)
Commit(d) ==
    /\ Pending(d)
    /\ committed' = committed \cup {d}
    /\ UNCHANGED <<lost, store, worker, contract, origin, window>>

(***************************************************************************)
(* Keys deduplicate for a time.  What they covered can still be looked up. *)
(***************************************************************************)
CloseWindow ==
    /\ window
    /\ window' = FALSE
    /\ UNCHANGED <<lost, store, worker, contract, origin, committed>>

Next ==
    \/ \E loss \in Losses : Lose(loss)
    \/ GrantAgain
    \/ Claim
    \/ StrangerAsks
    \/ \E p \in Places :
          \/ Heartbeat(p)
          \/ Die(p)
          \/ Fail(p)
          \/ Admit(p)
          \/ Repeat(p)
          \/ Send(p)
          \/ Observe(p)
          \/ Settle(p)
          \/ Report(p)
          \/ \E answered \in BOOLEAN :
                \/ Hear(p, answered)
                \/ LookUp(p, answered)
    \/ \E d \in Deliveries : Commit(d)
    \/ CloseWindow

Spec == Init /\ [][Next]_vars

(***************************************************************************)
(* The bound of a provider whose keys deduplicate for ever.                *)
(***************************************************************************)
KeysLive == contract = "P1" => window

-----------------------------------------------------------------------------
(* The obligations, by the checker's rules.  Where a history ends what is  *)
(* pending commits, which it may anywhere, so what holds of all states     *)
(* holds of those at the end.                                              *)

TypeOK ==
    /\ lost \subseteq Losses
    /\ approval \in {"unused", "ours", "theirs"}
    /\ intents \in Seq(Deliveries) /\ Len(intents) <= MaxDispatches
    /\ reservation \in {"none", "held", "charged"}
    /\ observed \in Deliveries \cup {0}
    /\ charged \in Nat
    /\ reported \in Outcomes \cup {"nothing"}
    /\ worker \in [Places -> [act : Acts \cup {"down"},
                              about : Deliveries \cup {0}]]
    /\ contract \in Contracts
    /\ origin \in [Deliveries -> Deliveries \cup {0}]
    /\ committed \subseteq Deliveries
    /\ window \in BOOLEAN

FirstDispatchAuthority ==                                          \* R2
    [][intents = << >> /\ intents' # << >> => Authorised]_vars

ApprovalConsumption ==                                             \* R3
    intents # << >> <=> approval = "ours"

ConsumedOnce ==                                                    \* R3
    [][approval # "unused" => approval' = approval]_vars

Repeats == intents # << >> /\ intents' # intents

RepeatAuthority ==                                                 \* R4
    [][Repeats => Authorised]_vars

RepeatFreshness ==                                                 \* R5
    [][Repeats => intents'[Len(intents')] # Len(intents')]_vars

(***************************************************************************)
(* What is written of a run is written by the holder of the lease.         *)
(***************************************************************************)
Ownership ==                                                       \* R6
    [][\/ UNCHANGED <<intents, settlement, reported>>
       \/ /\ worker["holder"] # Down
          /\ worker'["holder"] # worker["holder"]]_vars

Multiplicity == Cardinality(committed) <= 1                        \* R7

(***************************************************************************)
(* What is sent has an intent, and nothing is sent twice.                  *)
(***************************************************************************)
Provenance ==                                                      \* R8
    /\ \A d \in Deliveries : origin[d] # 0 => d <= Len(intents)
    /\ \A d \in committed : origin[d] = d
    /\ \A p \in Places :
          worker[p].act = "send" => origin[worker[p].about] = 0

ReferencesAreUsedOnce ==                                           \* R8
    [][\A d \in Deliveries : origin[d] # 0 => origin'[d] = origin[d]]_vars

(***************************************************************************)
(* A delivery group is resolved by the observation of an effect of its.    *)
(* What a holder does not know is held, also where nobody is told of it.   *)
(***************************************************************************)
Unresolved ==
    Range(intents) \ (IF observed = 0 THEN {} ELSE {intents[observed]})

RetainedUncertainty ==                                             \* R9
    /\ Unresolved # {} =>
          reservation = "held" /\ reported \in {"nothing", "unknown"}
    /\ reported = "unknown" => intents # << >> /\ reservation # "none"
    /\ worker["holder"].act = "unknown" => reservation = "held"

(***************************************************************************)
(* A charge is for the effect that was observed, and consumes what was     *)
(* reserved for it.                                                        *)
(***************************************************************************)
SettlementEvidence ==                                              \* R10
    /\ charged > 0 => observed # 0
    /\ charged > 0 <=> reservation = "charged"
    /\ observed # 0 => observed \in committed
    /\ reported = "success" => charged = 1
    /\ \A p \in Places :
          worker[p].act = "settle" => worker[p].about = observed

SettlementIdempotence == charged <= 1                              \* R11

Denial ==                                                          \* R12
    reported \in Denials =>
        /\ intents = << >>
        /\ reservation = "none"
        /\ Range(origin) = {0}

DenialIsJustified ==                                               \* R12
    [][reported' \in Denials \ {reported} => reported' \in Missing]_vars

Closure ==                                                         \* R13
    [][~(reported \in Final /\ reported' # reported)]_vars

(***************************************************************************)
(* Of an effect a worker learns where it asked for that one, of a provider *)
(* that can tell.                                                          *)
(***************************************************************************)
NoLeakedTruth ==                                                   \* R14
    [][\A p \in Places :
          LET asked == worker[p]
              sees == worker'[p]
          IN  sees.act = "observe" /\ sees \notin Range(worker) =>
                 /\ \/ asked.act = "hear"
                    \/ asked.act = "look_up" /\ contract # "P3"
                 /\ sees.about = origin[asked.about]
                 /\ sees.about \in committed]_vars
=============================================================================
