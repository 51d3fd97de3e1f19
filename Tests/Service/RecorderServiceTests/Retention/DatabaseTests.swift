import Foundation
import TestSupport
import Testing

@testable import RecorderStorage

@Suite struct DatabaseTests {
    @Test func number_noRowOrNull_isNil() throws {
        let directory = try TemporaryDirectory()
        let database = try Database(directory.path("a.sqlite"))
        try database.execute("CREATE TABLE t (value INTEGER); INSERT INTO t VALUES (NULL), (7);")
        let (missing, null) = (
            try database.number("SELECT value FROM t WHERE value = 8"),
            try database.number("SELECT value FROM t WHERE value IS NULL")
        )
        let seven = try database.number("SELECT value FROM t WHERE value = ?", [.integer(7)])
        #expect(missing == nil && null == nil && seven == 7)
    }

    @Test func createFile_twice_isNewOnceAndPrivate() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("lists/a.sqlite")
        #expect(Database.createFile(path))
        #expect(!Database.createFile(path))
        var kind = stat()
        #expect(stat(path, &kind) == 0 && kind.st_mode & 0o777 == 0o600)
    }
}
