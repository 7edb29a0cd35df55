"""The tables of the recovery store.

Rule 1: all but the clock, the reservation and a lease's end is only ever added to, each row with its
        time: the store is its own history, and what a checker is given is read off it.
Rule 2: a reference, and an approval, is used once: the keys hold that.
Rule 3: it is SQL of SQLite and of PostgreSQL; WITHOUT ROWID is for SQLite alone.
"""

SCHEMA = """
CREATE TABLE clock (at BIGINT NOT NULL);
INSERT INTO clock VALUES (0);
CREATE TABLE instances (
    id TEXT PRIMARY KEY,
    organisation TEXT NOT NULL,
    principal TEXT NOT NULL,
    run TEXT NOT NULL,
    action TEXT NOT NULL,
    policy_epoch BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    allowed_effects BIGINT NOT NULL,
    approval TEXT
) WITHOUT ROWID;
CREATE TABLE authority (
    fact TEXT NOT NULL,
    subject TEXT NOT NULL,
    value BIGINT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX authority_subject ON authority (subject, fact);
CREATE TABLE answers (
    instance TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    answer BIGINT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX answers_instance ON answers (instance);
CREATE TABLE leases (
    instance TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    worker TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (instance, epoch)
);
CREATE TABLE heartbeats (
    instance TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    accepted BIGINT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX heartbeats_instance ON heartbeats (instance);
CREATE TABLE consumptions (
    approval TEXT PRIMARY KEY,
    instance TEXT NOT NULL,
    at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE TABLE intents (
    instance TEXT NOT NULL,
    number BIGINT NOT NULL,
    reference TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    judged_at BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (instance, number)
);
CREATE TABLE observations (
    instance TEXT NOT NULL,
    reference TEXT NOT NULL,
    receipt TEXT NOT NULL,
    source TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX observations_instance ON observations (instance);
CREATE TABLE settlements (
    instance TEXT NOT NULL,
    receipt TEXT NOT NULL,
    charge BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    at BIGINT NOT NULL
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
    at BIGINT NOT NULL
);
CREATE INDEX reports_instance ON reports (instance)
"""
