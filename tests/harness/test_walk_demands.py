"""What a walk asks of a model, and what it says to one that does not do it."""

from collections.abc import Hashable, Mapping

import pytest

from specwalk.divergence import Origin
from specwalk.errors import BadInput
from specwalk.model import Model, NotOffered, action
from specwalk.walk import walk
from tests.harness.toy import SnapshotModel, ToyModel, build, leave


class ForgetsTheLog(SnapshotModel):
    def snapshot(self) -> object:
        return self.counter.x

    def restore(self, snapshot: object) -> None:
        pass


class Unrepeatable(ToyModel):
    starts = 0

    def start(self, initial: object) -> None:
        type(self).starts += 1
        super().start({"x": 0 if self.starts < 2 else 1})


class Tiring(ToyModel):
    ups = 0

    @action("Up")
    def up(self) -> None:
        type(self).ups += 1
        if self.ups > 4:
            raise NotOffered("tired")
        super().up()


class Breaking(ToyModel):
    ups = 0

    @action("Up")
    def up(self) -> None:
        type(self).ups += 1
        if self.ups > 4:
            raise OSError("worn out")
        super().up()


class ForgetsToReturn(SnapshotModel):
    def observe(self) -> None:  # type: ignore[override]
        super().observe()


class LacksAVariable(SnapshotModel):
    def observe(self) -> dict[str, object]:
        return {"x": self.counter.x}


class HasOneTooMany(SnapshotModel):
    def observe(self) -> dict[str, object]:
        return {**super().observe(), "y": 1}


class NumbersForTruth(SnapshotModel):
    def observe(self) -> dict[str, object]:
        return {"x": self.counter.x, "odd": self.counter.x % 2}


class DownToTrue(SnapshotModel):
    @action("Down")
    def down(self) -> None:
        super().down()
        self.counter.x = self.counter.x == 1 or self.counter.x


class JumpsToTrue(SnapshotModel):
    @action("Jump")
    def jump(self, n: int) -> None:
        if n == 2 or self.counter.x:
            super().jump(n)
        else:
            self.counter.x = True


class NoStart(ToyModel):
    start = Model.start


class BreaksOnSnapshot(SnapshotModel):
    def snapshot(self) -> object:
        raise TypeError("no image")


class LeavesOnSnapshot(SnapshotModel):
    snapshot = leave


class LeavesOnRestore(SnapshotModel):
    def restore(self, snapshot: object) -> None:
        leave()


class LeavesOnContent(SnapshotModel):
    content = leave


class SeesOnce(ToyModel):
    seen = 0

    def observe(self) -> Mapping[str, object]:
        type(self).seen += 1
        return super().observe() if self.seen < 2 else leave()


class ListsContent(SnapshotModel):
    def content(self) -> Hashable:
        return ([],)


class BreaksOnContent(SnapshotModel):
    def content(self) -> None:
        raise LookupError("no rows")


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (ForgetsTheLog, r"cannot be put back .* after Up, x = 1, odd = TRUE: now x = .* snapshot"),
        (Unrepeatable, r"after \(the start\), x = 0, odd = FALSE: now x = 1.* repeatable"),
        (Tiring, r"after Up, x = 1, odd = TRUE: a step is no longer offered\. .* repeatable"),
        (Breaking, r"after Up, x = 1, odd = TRUE: OSError: worn out .* repeatable"),
        (ForgetsToReturn, r"ForgetsToReturn.observe\(\) must return a dict .*; it returns None\."),
        (LacksAVariable, r"LacksAVariable.observe\(\) must return .* x, odd; it returns x\."),
        (HasOneTooMany, r"it returns x, odd, y\."),
        (NumbersForTruth, r"NumbersForTruth.observe\(\) returns 0 for odd, which is FALSE in the spec"),
        (DownToTrue, r"DownToTrue.observe\(\) returns True for x, which is 1 in the spec"),
        (JumpsToTrue, r"JumpsToTrue.observe\(\) returns True for x, which is 1 in the spec"),
        (NoStart, r"NoStart has no start\(\): write"),
        (BreaksOnSnapshot, r"Correct BreaksOnSnapshot.snapshot\(\): it raised TypeError: no image"),
        (LeavesOnSnapshot, r"Correct LeavesOnSnapshot.snapshot\(\): it raised SystemExit: 0"),
        (LeavesOnRestore, r"Correct LeavesOnRestore.restore\(\): it raised SystemExit: 0"),
        (LeavesOnContent, r"Correct LeavesOnContent.content\(\): it raised SystemExit: 0"),
        (SeesOnce, r"after \(the start\), x = 0, odd = FALSE: SystemExit: 0 .* repeatable"),
        (ListsContent, r"Correct ListsContent.content\(\): it raised TypeError: unhashable type: 'list'"),
        (BreaksOnContent, r"Correct BreaksOnContent.content\(\): it raised LookupError: no rows"),
    ],
)
def test_a_model_that_does_not_do_its_part_is_bad_input(model: type[ToyModel], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        walk(build(), model({}), Origin(model="toy", config="Toy.cfg"))
