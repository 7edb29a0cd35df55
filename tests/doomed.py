"""A process that dies at a chosen SQL statement: what every test of crashes plants in a store.

The dead do nothing more: no statement, no rollback. What was not committed is gone once the real
connection is closed or rolled back, as it is when a process dies.
"""


class Crash(BaseException):
    """The process dies here. No handler of ordinary errors stops it."""


class Doomed:
    """A connection that dies before or after its n-th statement, and does nothing more then.

    Only statements that begin with `counting` are counted: "COMMIT" makes it die at its n-th commit.
    """

    def __init__(self, connection, fatal, before, counting=""):
        self.connection, self.fatal, self.before, self.counting = connection, fatal, before, counting
        self.statements = 0

    @property
    def dead(self):
        return self.statements >= self.fatal

    @property
    def in_transaction(self):
        return not self.dead and self.connection.in_transaction  # no rollback is tried by the dead

    def execute(self, statement, *parameters):
        if self.dead:
            raise Crash
        self.statements += statement.startswith(self.counting)
        if self.dead and self.before:
            raise Crash
        result = self.connection.execute(statement, *parameters)
        if self.dead:
            result.close()  # an open cursor would outlive the dead and keep its lock
            raise Crash
        return result

    def set_authorizer(self, authorizer):
        self.connection.set_authorizer(authorizer)

    def close(self):
        self.connection.close()
