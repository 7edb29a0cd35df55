"""The tables of the recovery store.

Rule 1: all but the reservation and a lease's end is only ever added to, each row with its time: the
        store is its own history, and what a checker is given is read off it.
Rule 2: a reference, and an approval, is used once: the keys hold that.
"""

SCHEMA = """
CREATE TABLE instances (
    id TEXT PRIMARY KEY,
    organisation TEXT NOT NULL,
    principal TEXT NOT NULL,
    run TEXT NOT NULL,
    action TEXT NOT NULL,
    policy_epoch INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    allowed_effects INTEGER NOT NULL,
    approval TEXT
) WITHOUT ROWID;
CREATE TABLE authority (
    fact TEXT NOT NULL,
    subject TEXT NOT NULL,
    value INTEGER NOT NULL,
    at INTEGER NOT NULL
);
CREATE INDEX authority_subject ON authority (subject, fact);
CREATE TABLE leases (
    instance TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    worker TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (instance, epoch)
);
CREATE TABLE heartbeats (
    instance TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    accepted INTEGER NOT NULL,
    at INTEGER NOT NULL
);
CREATE INDEX heartbeats_instance ON heartbeats (instance);
CREATE TABLE consumptions (
    approval TEXT PRIMARY KEY,
    instance TEXT NOT NULL,
    at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE intents (
    instance TEXT NOT NULL,
    number INTEGER NOT NULL,
    reference TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    judged_at INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (instance, number)
);
CREATE TABLE observations (
    instance TEXT NOT NULL,
    reference TEXT NOT NULL,
    receipt TEXT NOT NULL,
    source TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL
);
CREATE INDEX observations_instance ON observations (instance);
CREATE TABLE settlements (
    instance TEXT NOT NULL,
    receipt TEXT NOT NULL,
    charge INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL
);
CREATE INDEX settlements_instance ON settlements (instance);
CREATE TABLE reservations (instance TEXT PRIMARY KEY, status TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE reports (
    instance TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    organisation TEXT NOT NULL,
    principal TEXT NOT NULL,
    run TEXT NOT NULL,
    at INTEGER NOT NULL
);
CREATE INDEX reports_instance ON reports (instance)
"""
