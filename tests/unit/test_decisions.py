"""Every decision on custody where the paper leaves room, and the tests that hold it.

Each row names its tests as "module::function", here in this folder. What another layer decides
stands in ELSEWHERE with the reason, so that nothing is covered by silence.
"""

import ast
from pathlib import Path

import pytest

DECISIONS = {
    "Deadline anchor: absolute, fixed at acceptance, stored, carried; a restart resumes the rest": [
        "test_custody::test_the_deadline_runs_from_acceptance_not_from_a_resubmission",
        "test_custody::test_a_restart_resumes_the_remaining_window_and_the_remaining_budget",
        "test_custody::test_a_custodian_that_was_down_past_the_deadline_escalates_before_any_retry",
        "test_custody::test_ab2_deliveries_follow_the_backoff_and_nothing_is_due_between",
    ],
    "t = deadline is expired, on both sides, also for what was deferred": [
        "test_acks::test_an_ack_at_the_deadline_finds_the_transfer_escalated",
        "test_acks::test_an_ack_just_before_the_deadline_discharges",
        "test_reception::test_at_the_deadline_an_obligation_is_expired_and_not_applied",
        "test_reception::test_just_before_the_deadline_it_is_applied",
        "test_reception::test_a_deferred_obligation_expires_at_its_deadline",
        "test_reception::test_a_redelivery_cannot_lengthen_the_window_of_what_was_deferred",
    ],
    "The fail-safe fires at the deadline whatever was planned, for every due obligation": [
        "test_custody::test_ab4_at_the_deadline_the_fail_safe_is_due_whatever_was_planned",
        "test_custody::test_a_raising_transport_is_a_lost_attempt_and_delays_no_other",
        "test_custody::test_the_agenda_names_all_that_is_due_fail_safes_first",
        "test_store::test_one_unreadable_row_delays_no_fail_safe_and_is_named",
        "test_custody::test_every_transfer_of_a_busy_custodian_ends_by_its_own_bounds",
        "test_custody::test_an_answer_to_the_last_delivery_still_counts_while_its_wait_runs",
    ],
    "max_retries = R permits R + 1 deliveries, counted durably; backoff never overflows": [
        "test_custody::test_max_retries_permits_one_delivery_more_and_then_the_last_wait",
        "test_custody::test_a_restart_resumes_the_remaining_window_and_the_remaining_budget",
        "test_terms::test_the_wait_never_overflows",
    ],
    "Backoff doubles to a cap, by default an eighth; jitter in [d/2, d], none on the last wait": [
        "test_simulation::test_golden_schedules_on_a_dead_channel",
        "test_terms::test_waits_double_from_the_initial_one_and_stop_at_the_cap",
        "test_terms::test_the_cap_is_by_default_an_eighth_of_the_window_but_not_below_the_initial_wait",
        "test_terms::test_jitter_draws_from_the_upper_half_of_the_wait",
        "test_terms::test_the_wait_after_the_last_permitted_delivery_is_not_jittered",
    ],
    "A declared profile is checked strictly, an obligation's own terms leniently": [
        "test_terms::test_a_profile_is_checked_exactly_at_the_boundary",
        "test_terms::test_a_profile_keeps_its_cap_below_the_deadline",
        "test_terms::test_terms_are_lenient_about_budget_and_cap",
    ],
    "Clock jumps: forward past the deadline escalates; skew is reported by the late ack": [
        "test_custody::test_a_custodian_that_was_down_past_the_deadline_escalates_before_any_retry",
        "test_acks::test_clock_skew_can_let_an_application_follow_an_escalation_and_the_late_ack_says_so",
    ],
    "A transport error or malformed answer is a lost attempt and never ends the transfer": [
        "test_custody::test_a_raising_transport_is_a_lost_attempt_and_delays_no_other",
        "test_reception::test_a_lost_ack_leaves_the_application_and_the_redelivery_acks_again",
        "test_wire::test_a_field_of_another_type_is_an_error",
    ],
    "An ack counts only for the id, target and digest of a pending obligation": [
        "test_acks::test_an_ack_counts_only_for_id_target_and_digest",
        "test_acks::test_an_ack_for_an_id_never_accepted_is_noted",
        "test_acks::test_a_repeated_ack_is_noted_once",
        "test_acks::test_an_ack_to_a_best_effort_obligation_changes_nothing",
    ],
    "A late ack is kept, shown, and never reopens the terminal state": [
        "test_acks::test_a_late_ack_is_kept_and_never_reopens_the_terminal_state",
        "test_store::test_a_settled_record_is_never_written_again",
    ],
    "declined: logged, not retried, no escalation; protects or asks; remembered": [
        "test_acks::test_declined_is_delivered_and_protects_or_asks_the_principal",
        "test_reception::test_a_decline_is_remembered",
    ],
    "deferred: schedule unchanged, the escalation says so, an asynchronous ack may follow": [
        "test_acks::test_deferred_leaves_the_schedule_and_the_escalation_says_so",
        "test_acks::test_a_deferred_obligation_is_discharged_by_the_later_ack",
        "test_reception::test_deferred_is_answered_so_until_it_is_resolved",
    ],
    "A restrictive decision holds at issue, in the accept transaction, never gated on the ack": [
        "test_polarity::test_anumati_a_revocation_holds_from_its_issue_on_and_needs_no_ack",
        "test_crashes::test_a_restrictive_decision_is_committed_with_its_acceptance_or_not_at_all",
    ],
    "It withdraws older pending permissions, and only a later grant permits again": [
        "test_withdrawal::test_a_late_ack_of_an_older_grant_does_not_lift_a_revocation",
        "test_withdrawal::test_a_grant_that_is_issued_after_the_revocation_permits",
        "test_withdrawal::test_between_two_sequences_the_sequence_says_which_is_older",
        "test_withdrawal::test_a_withdrawal_is_durable",
    ],
    "Anumati grants are fail-closed, or declared best-effort": [
        "test_polarity::test_anumati_an_unconfirmed_grant_is_withheld_and_escalated",
        "test_polarity::test_anumati_grants_can_be_declared_best_effort",
    ],
    "Phala: polarity by the sign before rounding; safe(O) lowers the routing weight, clipped": [
        "test_polarity::test_phala_polarity_is_the_sign_before_any_rounding",
        "test_polarity::test_phala_safe_o_lowers_the_routing_weight_within_its_range_and_not_at_issue",
    ],
    "Phala: weights have keys of their own at the receiver": [
        "test_reception::test_no_belief_update_reaches_a_consent",
    ],
    "OAuth: the governed key is the token": [
        "test_polarity::test_oauth_the_governed_key_is_the_token",
    ],
    "safe(O) is evaluated once at admission, stored, applied at most once": [
        "test_polarity::test_safe_o_is_evaluated_once_at_admission",
        "test_polarity::test_a_kind_that_raises_is_refused_at_admission",
        "test_polarity::test_a_safe_o_that_is_no_action_is_refused_at_admission",
        "test_custody::test_safe_o_is_applied_at_most_once",
        "test_crashes::test_deliver_or_report_holds_across_a_crash_at_any_statement",
    ],
    "Supersession by sequence per governed key, on both sides, durable": [
        "test_supersession::test_the_receiver_declines_what_is_older_than_the_newest_applied",
        "test_supersession::test_a_superseded_fail_safe_applies_nothing_but_the_escalation_still_fires",
        "test_supersession::test_two_ids_with_one_sequence_on_one_key_are_refused_at_issue",
        "test_supersession::test_the_principals_own_decision_passes_the_same_guard",
        "test_supersession::test_the_newest_sequence_is_durable_on_the_receiver",
        "test_supersession::test_the_newest_sequence_is_durable_on_the_custodian",
    ],
    "The same id with another payload is a conflict; resubmission is a no-op": [
        "test_custody::test_the_same_id_with_other_content_is_refused_and_changes_nothing",
        "test_custody::test_resubmission_is_a_no_op_that_returns_the_current_outcome",
        "test_reception::test_the_same_id_with_other_content_is_a_conflict_and_the_ledger_stands",
    ],
    "An unknown kind is refused by name; admissibility is decided once and stored": [
        "test_custody::test_an_unknown_kind_is_refused_by_name_and_best_effort_only_on_request",
        "test_custody::test_admissibility_is_decided_once_and_stored",
    ],
    "External effects at the receiver: effectively once where the receiver owns the state": [
        "test_effects::test_an_effect_of_the_application_commits_with_the_ledger_or_not_at_all",
        "test_effects::test_ab3_an_effect_cannot_part_its_transaction_from_the_ledger",
        "test_reception::test_ab3_a_redelivery_is_acknowledged_at_any_time_without_reapplication",
    ],
    "Values are canonical JSON, deep-frozen, hashed; unknown fields are errors; times are UTC": [
        "test_wire::test_canonical_text_is_json_that_reads_back_and_ignores_key_order",
        "test_wire::test_what_has_no_json_text_is_refused",
        "test_wire::test_a_payload_is_frozen_and_apart_from_what_it_was_made_of",
        "test_wire::test_every_part_of_the_content_is_in_the_digest",
        "test_wire::test_an_unknown_field_is_an_error_that_names_it",
        "test_wire::test_times_are_aware_and_in_utc",
    ],
    "Clock jumps: forward escalates, back never lengthens the window that the process measured": [
        "test_runtime_clock::test_a_jump_forward_is_followed_at_once_and_stays",
        "test_runtime_clock::test_a_jump_back_leaves_time_going_on_as_the_process_measures_it",
    ],
    "A delivery attempt has its own timeout; an error or a malformed answer is a lost attempt": [
        "test_runtime_hosts::test_an_attempt_that_takes_too_long_is_lost_and_the_next_one_is_made",
        "test_runtime_hosts::test_a_target_that_hangs_delays_neither_others_nor_its_own_fail_safe",
        "test_runtime_hosts::test_what_a_custodian_cannot_take_is_lost_and_the_next_answer_counts",
    ],
    "Wire: one canonical text with its digest": [
        "test_wire::test_a_delivery_survives_its_text",
        "test_wire::test_a_delivery_that_was_changed_on_its_way_is_found_out",
    ],
}

ELSEWHERE = {
    "Effects in external systems: intent first, look up or surface on recovery": (
        "such systems are no part of the receiver's transaction: the recovery layer owns them"
    ),
    "A2A metadata and MCP _meta carry the text": "the bindings put it there",
}

FOLDER = Path(__file__).parent


def functions_of(module):
    tree = ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("decision", DECISIONS)
def test_every_named_test_exists(decision):
    assert DECISIONS[decision]
    for name in DECISIONS[decision]:
        module, function = name.split("::")
        assert function.startswith("test_")
        assert function in functions_of(module), name


def test_what_another_layer_decides_says_why():
    assert all(reason.strip() for reason in ELSEWHERE.values())
    assert not ELSEWHERE.keys() & DECISIONS.keys()
