import CSQLite
import FileSystem
import Foundation

/// One connection to an SQLite database file. Not thread-safe: its owner holds a lock.
///
/// Every change is synced before its call returns (`synchronous=FULL` with a rollback journal). WAL is not used: the
/// processes would share memory that is mapped from a file, and a full or failing disk could kill them. A connection
/// waits for another process that writes, but only for a limited time.
package final class Database {
    /// An error from SQLite.
    package struct Failure: Error, CustomStringConvertible {
        /// An extended result code.
        package let code: Int32
        package let description: String

        package init(code: Int32, description: String) { (self.code, self.description) = (code, description) }

        /// Creates the error for contents that the reader does not expect.
        package init(damage description: String) { self.init(code: SQLITE_CORRUPT, description: description) }

        /// True if the file is not a database, or its pages contradict each other.
        package var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }
    }

    /// A value of a row or of a parameter.
    package enum Value: Sendable {
        case integer(Int64)
        case real(Double)
        case text(String)
        case null

        package init(_ text: String?) { self = text.map(Value.text) ?? .null }
        package init(_ number: Double?) { self = number.map(Value.real) ?? .null }
        package init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }
    }

    private let connection: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    /// Creates an empty file that only its owner can read, and the directories above it, unless they exist. SQLite
    /// would create the file readable for all users.
    ///
    /// - Returns: True if the file is new.
    @discardableResult
    package static func createFile(_ path: String) -> Bool {
        _ = FolderContents.create(path.parentDirectory, mode: 0o700)
        let new = FileSystem.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard new >= 0 else { return false }
        close(new)
        return true
    }

    /// Opens a database, or creates an empty one.
    ///
    /// - Parameter patience: Maximum wait in milliseconds for another process that writes.
    package init(_ path: String, patience: Int32 = 5000) throws(Failure) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = PathText.withBytes(path) { sqlite3_open_v2($0, &opened, flags, nil) }
        guard result == SQLITE_OK, let opened else {
            let reason = opened.map(Self.words) ?? String(cString: sqlite3_errstr(result))
            sqlite3_close_v2(opened)
            throw Failure(code: result, description: reason)
        }
        connection = opened
        sqlite3_busy_timeout(opened, patience)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(connection)
    }

    /// Executes several statements that return no rows.
    package func execute(_ sql: String) throws(Failure) {
        let result = sqlite3_exec(connection, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// Executes one statement, and stores the prepared statement for the next call.
    ///
    /// - Parameter row: Called for each row; returns false to stop.
    package func run(_ sql: String, _ values: [Value] = [], row: (Row) -> Bool = { _ in true }) throws(Failure) {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try bind(value, Int32(index + 1), statement) }
        while true {
            let result = sqlite3_step(statement)
            switch result {
            case SQLITE_ROW: if !row(Row(statement: statement)) { return }
            case SQLITE_DONE: return
            default: throw failure(result)
            }
        }
    }

    /// Returns the number in the first column of the first row; nil for NULL, and if there is no row.
    package func number(_ sql: String, _ values: [Value] = []) throws(Failure) -> Int64? {
        var number: Int64?
        try run(sql, values) { row in
            number = row.optionalInteger(0)
            return false
        }
        return number
    }

    /// Executes `body` as one transaction. Other processes cannot write during the transaction.
    package func change<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try execute("BEGIN IMMEDIATE")
        do throws(Failure) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    package var lastID: Int64 { sqlite3_last_insert_rowid(connection) }

    private func prepared(_ sql: String) throws(Failure) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let result = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard result == SQLITE_OK, let statement else { throw failure(result) }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: Value, _ index: Int32, _ statement: OpaquePointer) throws(Failure) {
        let result =
            switch value {
            case .integer(let number): sqlite3_bind_int64(statement, index, number)
            case .real(let number): sqlite3_bind_double(statement, index, number)
            case .text(let text): csqlite_bind_text(statement, index, text, Int32(clamping: text.utf8.count))
            case .null: sqlite3_bind_null(statement, index)
            }
        guard result == SQLITE_OK else { throw failure(result) }
    }

    private func failure(_ code: Int32) -> Failure { Failure(code: code, description: Self.words(connection)) }

    private static func words(_ connection: OpaquePointer) -> String { String(cString: sqlite3_errmsg(connection)) }

    /// The current row of a statement; valid during the call.
    package struct Row {
        fileprivate let statement: OpaquePointer

        package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
        package func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }
        package func text(_ column: Int32) -> String { optionalText(column) ?? "" }

        package func optionalText(_ column: Int32) -> String? {
            sqlite3_column_text(statement, column).map { String(cString: $0) }
        }

        package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
        package func optionalReal(_ column: Int32) -> Double? { isNull(column) ? nil : real(column) }

        private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
    }
}
