"""The stores: opening, ownership, images, and the guards of their transactions."""

import sqlite3

import pytest

from abhyasa import AckStatus, CustodianStore, Delivery, Receiver, ReceiverStore, Status, StoreError
from abhyasa.core.custodian import Accept, Attempt
from abhyasa.core.receiver import Decline
from tests.unit.rig import APPLIED, KINDS, TARGET, Rig, ack_of, at, consent, update

STORES = [CustodianStore, ReceiverStore]


@pytest.mark.parametrize("store", STORES)
def test_a_store_on_a_file_is_owned_by_one_endpoint(store, tmp_path):
    path = tmp_path / "store.db"
    with store(path), pytest.raises(StoreError, match="held by another endpoint"):
        store(path)
    store(path).close()


def test_an_owned_store_stays_owned_between_its_commits(tmp_path):
    path = tmp_path / "custody.db"
    rig = Rig(CustodianStore(path))
    rig.accept(update())
    rig.advance(0)
    with pytest.raises(StoreError, match="held by another endpoint"):
        CustodianStore(path)
    rig.custodian_store.close()


@pytest.mark.parametrize("store", STORES)
def test_an_empty_path_is_refused_for_it_would_be_a_temporary_database(store):
    with pytest.raises(StoreError, match="path is empty"):
        store("")


@pytest.mark.parametrize("store", STORES)
def test_a_file_that_is_no_database_is_refused(store, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("shopping list, " * 500)
    with pytest.raises(StoreError, match="is not a store"):
        store(path)
    assert path.read_text().startswith("shopping list")


def test_a_path_that_cannot_be_opened_is_refused(tmp_path):
    with pytest.raises(StoreError, match="cannot be opened"):
        CustodianStore(tmp_path / "missing" / "store.db")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE songs (title TEXT)",
        "PRAGMA user_version = 7",
        f"PRAGMA application_id = {ReceiverStore._APPLICATION}",
    ],
)
def test_the_database_of_something_else_is_refused(statement, tmp_path):
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute(statement)
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is no CustodianStore of version 1"):
        CustodianStore(path)
    assert path.read_bytes() == before


def test_a_store_of_another_version_is_refused(tmp_path):
    path = tmp_path / "custody.db"
    CustodianStore(path).close()
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 2")
    other.close()
    with pytest.raises(StoreError, match="version 1"):
        CustodianStore(path)


def test_one_side_cannot_open_the_store_of_the_other(tmp_path):
    path = tmp_path / "custody.db"
    CustodianStore(path).close()
    with pytest.raises(StoreError, match="is no ReceiverStore"):
        ReceiverStore(path)


def test_commits_on_files_are_synced(tmp_path):
    with ReceiverStore(tmp_path / "ledger.db") as store:
        answers = [
            store.connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "locking_mode")
        ]
    assert answers == ["wal", 2, "exclusive"]


def test_everything_survives_reopening(tmp_path):
    rig = Rig(CustodianStore(tmp_path / "custody.db"), ReceiverStore(tmp_path / "ledger.db"))
    for name, obligation in (("o", update(sequence=1)), ("revoke", consent("revoke", sequence=3))):
        rig.accept(obligation)
        rig.advance(0, name)
        rig.carry(0)
    rig.carry_back(0)
    rig.advance(6, "o")
    rig.custodian.receive_ack(ack_of(update(sequence=1)), at(7))
    before = rig.custodian_store.rows(), rig.receiver_store.rows()
    records = [rig.record("o"), rig.record("revoke"), rig.receiver.entry("o")]
    notices = rig.custodian.escalations(), rig.custodian.notes()
    rig.custodian_store.close()
    rig.receiver_store.close()
    again = Rig(CustodianStore(tmp_path / "custody.db"), ReceiverStore(tmp_path / "ledger.db"))
    assert (again.custodian_store.rows(), again.receiver_store.rows()) == before
    assert [again.record("o"), again.record("revoke"), again.receiver.entry("o")] == records
    assert (again.custodian.escalations(), again.custodian.notes()) == notices
    assert [len(notice) for notice in notices] == [1, 1]
    again.custodian_store.close()
    again.receiver_store.close()


def test_a_restored_image_is_the_whole_truth():
    rig = Rig()
    rig.accept(update("o"))
    rig.accept(update("p"))
    image, ledger = rig.custodian_store.image(), rig.receiver_store.image()
    before = rig.custodian_store.rows(), rig.receiver_store.rows()
    outcomes = set()
    for name in ("o", "p", "o"):
        rig.advance(0, name)
        rig.carry(0)
        rig.carry_back(0)
        outcomes.add((rig.record("o").status, rig.record("p").status))
        rig.custodian_store.restore(image)
        rig.receiver_store.restore(ledger)
        assert (rig.custodian_store.rows(), rig.receiver_store.rows()) == before
    assert outcomes == {(Status.APPLIED, Status.PENDING), (Status.PENDING, Status.APPLIED)}


def test_a_store_that_begins_with_an_image_is_the_store_that_it_is_of(tmp_path):
    rig = Rig()
    rig.accept(update("o"))
    image = rig.custodian_store.image()
    with CustodianStore(image=image) as again:
        assert again.rows() == rig.custodian_store.rows()
    with pytest.raises(StoreError, match="is no ReceiverStore"):
        ReceiverStore(image=image)
    with pytest.raises(StoreError, match="only a store in memory"):
        CustodianStore(tmp_path / "custody.db", image=image)


def test_images_and_restores_are_refused_inside_a_transaction():
    store = ReceiverStore()
    image = store.image()
    store.connection.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="image inside a transaction"):
        store.image()
    with pytest.raises(StoreError, match="restore inside a transaction"):
        store.restore(image)


def test_a_store_on_a_file_cannot_be_restored(tmp_path):
    with CustodianStore(tmp_path / "custody.db") as store:
        with pytest.raises(StoreError, match="only a store in memory"):
            store.restore(CustodianStore().image())
        assert store.rows().custody == ()


def test_a_settled_record_is_never_written_again():
    rig = Rig()
    stale = rig.accept(update())
    rig.advance(6)
    before = rig.custodian_store.rows()
    with pytest.raises(StoreError, match="not pending any more"):
        rig.custodian_store.attempt(Attempt(record=stale))
    assert rig.custodian_store.rows() == before


def test_an_answered_entry_is_never_written_again():
    rig = Rig()
    rig.accept(update())
    rig.advance(0)
    rig.carry(0)
    before = rig.receiver_store.rows()
    with pytest.raises(StoreError, match="already answered"):
        rig.receiver_store.decline(Decline(entry=rig.receiver.entry("o")))
    assert rig.receiver_store.rows() == before


def test_the_same_id_or_sequence_cannot_be_accepted_twice():
    rig = Rig()
    record = rig.accept(consent("revoke", "first", sequence=1))
    other = Rig().accept(consent("revoke", "second", sequence=1))
    for taken in (record, other):
        with pytest.raises(sqlite3.IntegrityError):
            rig.custodian_store.accept(Accept(record=taken, change=None))
    assert len(rig.custodian_store.rows().custody) == 1


def test_rows_hold_every_table_in_the_order_of_its_key():
    rig = Rig()
    for name in ("c", "a", "b"):
        rig.accept(update(name, target=f"agent-{name}"))
        rig.advance(6, name)
        rig.custodian.receive_ack(ack_of(update(name, target="agent-b")), at(7))
    rows = rig.custodian_store.rows()
    for table in (rows.custody, rows.escalations, rows.notes):
        assert [row[0] for row in table] == ["a", "b", "c"]
    assert [key for key, _ in rows.state] == [f"routing/agent-{name}" for name in "abc"]


def test_status_of_an_entry_is_read_back_as_it_was_written():
    rig = Rig()
    rig.accept(update())
    rig.advance(0)
    rig.carry(0)
    assert rig.receiver.entry("o").status is AckStatus.APPLIED


def test_every_transaction_takes_its_lock_at_once_and_pages_in_memory_are_small():
    with ReceiverStore() as store:
        statements = []
        store.connection.set_trace_callback(statements.append)
        endpoint = Receiver(TARGET, store, KINDS, lambda _ack: None, lambda _obligation: APPLIED)
        endpoint.receive(Delivery(obligation=update(), deadline=at(6), attempt=1), at(0))
        assert [text for text in statements if text.startswith("BEGIN")] == ["BEGIN IMMEDIATE"]
        assert store.connection.execute("PRAGMA page_size").fetchall() == [(512,)]


@pytest.mark.parametrize(
    ("column", "cell"),
    [("obligation", "torn"), ("terms", "{}"), ("safe", "[]"), ("deadline", 0)],
)
def test_one_unreadable_row_delays_no_fail_safe_and_is_named(column, cell):
    rig = Rig()
    for name in ("a", "bad", "c"):
        rig.accept(update(name))
    rig.custodian_store._db.execute(f"UPDATE custody SET {column} = ?, due_at = 1 WHERE id = 'bad'", (cell,))
    rig.accept(update("young"), 5)
    agenda = rig.custodian.agenda(at(6))
    assert agenda == ["a", "c", "young", "bad"]
    for name in agenda[:-1]:
        rig.advance(6, name)
    assert [told.obligation_id for told in rig.custodian.escalations()] == ["a", "c"]
    with pytest.raises(StoreError, match=r"'bad' cannot be read .* by hand"):
        rig.advance(6, "bad")
