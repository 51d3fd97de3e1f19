import Foundation
import Logging
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite(.timeLimit(.minutes(10))) struct JournalTests {
    /// Returns the fields of one entry, parsed as the journal does.
    private func fields(_ bytes: [UInt8]) throws -> [String: String] {
        var fields: [String: String] = [:]
        var rest = bytes[...]
        while let end = rest.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "\n") }) {
            let name = String(decoding: rest[..<end], as: UTF8.self)
            let value: ArraySlice<UInt8>
            if rest[end] == UInt8(ascii: "=") {
                let line = try #require(rest[end...].firstIndex(of: UInt8(ascii: "\n")))
                value = rest[(end + 1)..<line]
            } else {
                try #require(rest.count > end - rest.startIndex + 9)
                let length = rest[(end + 1)...].prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
                value = rest[(end + 9)...].prefix(length)
                try #require(value.count == length)
            }
            fields[name] = String(decoding: value, as: UTF8.self)
            try #require(rest[value.endIndex] == UInt8(ascii: "\n"))
            rest = rest[(value.endIndex + 1)...]
        }
        #expect(rest.isEmpty)
        return fields
    }

    /// Runs the body with a fake journal and a logger that writes to it.
    private func withJournal(_ body: (FakeDatagramReceiver, inout Logger) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let journal = try FakeDatagramReceiver(at: directory + "/socket")
            let handler = JournalLog(try RecordingName(parsing: "front"), level: .debug, journal: directory + "/socket")
            let written = try #require(handler)
            var log = Logger(label: "test") { _ in written }
            try body(journal, &log)
        }
    }

    @Test func entry_hasPriorityNameAndMetadata() async throws {
        try await withJournal { journal, log in
            log[metadataKey: "file-name"] = "/videos/front.mov"
            log.error("the disk is full", metadata: ["free": "0"])
            let fields = try fields(journal.bytes())
            #expect(fields["MESSAGE"] == "the disk is full")
            #expect(fields["PRIORITY"] == "3")
            #expect(fields["SYSLOG_IDENTIFIER"] == "recorder")
            #expect(fields["RECORDER_NAME"] == "front")
            #expect(fields["RECORDER_FILE_NAME"] == "/videos/front.mov")
            #expect(fields["RECORDER_FREE"] == "0")
            #expect(fields["CODE_FILE"]?.hasSuffix("JournalTests.swift") == true)
        }
    }

    @Test func entry_ofAnEvent_hasTheEventAndItsFacts() async throws {
        try await withJournal { journal, log in
            log.warning(
                "frames were dropped",
                metadata: LoggedEvent.lost.fields(file: "/videos/front.mov", bytes: 5, error: "the disk is slow"))
            let fields = try fields(journal.bytes())
            #expect(fields["RECORDER_EVENT"] == "lost" && fields["RECORDER_NAME"] == "front")
            #expect(fields["RECORDER_FILE"] == "/videos/front.mov" && fields["RECORDER_BYTES"] == "5")
            #expect(fields["RECORDER_ERROR"] == "the disk is slow" && fields["RECORDER_DEVICE"] == nil)
        }
    }

    /// A user searches the journal for the names that hooks have.
    @Test func events_ofHooks_haveTheirNames() {
        let hooks = HookCommands.Event.allCases.map(\.rawValue)
        let names = LoggedEvent.allCases.map(\.name)
        #expect(Set(names) == Set(hooks + ["lost", "deleted", "repaired"]) && names.count == Set(names).count)
    }

    /// A fact has the same name in the journal as in a hook's environment.
    @Test func facts_ofEvents_haveTheNamesThatHooksHave() {
        let fields = LoggedEvent.hook(.segment).fields(
            file: "f", device: "d", seconds: 1, bytes: 1, free: 1, error: "e", copy: "c", activity: 1)
        // The journal has the time of each entry. The logger adds the recorder's name.
        let elsewhere: Set = ["RECORDER_TIME", "RECORDER_NAME"]
        #expect(Set(fields.keys.map(JournalEntry.fieldName)) == HookInfo.variables.subtracting(elsewhere))
    }

    @Test func level_isMappedToASyslogPriority() async throws {
        try await withJournal { journal, log in
            let levels: [Logger.Level] = [.debug, .info, .notice, .warning, .error, .critical]
            for (level, priority) in zip(levels, ["7", "6", "5", "4", "3", "2"]) {
                log.log(level: level, "x")
                let entry = try fields(journal.bytes())
                #expect(entry["PRIORITY"] == priority)
            }
        }
    }

    @Test func entry_lineBreaksInText_forgeNoField() async throws {
        try await withJournal { journal, log in
            log.info("one\nPRIORITY=0\n", metadata: ["=\nPRIORITY": "0\nMESSAGE=two", "Größe": "1"])
            let fields = try fields(journal.bytes())
            #expect(fields["MESSAGE"] == "one\nPRIORITY=0\n")
            #expect(fields["PRIORITY"] == "6")
            #expect(fields["RECORDER___PRIORITY"] == "0\nMESSAGE=two")
            #expect(fields["RECORDER_GR_SSE"] == "1")
        }
    }

    @Test func message_tooLong_isTruncated() async throws {
        try await withJournal { journal, log in
            log.info("\(String(repeating: "ä", count: 500_000))")
            let entry = try fields(journal.bytes())
            let message = try #require(entry["MESSAGE"])
            #expect(message.hasPrefix("ää") && message.hasSuffix("…"))
            #expect(message.utf8.count <= JournalEntry.longestValue + 4)
        }
    }

    @Test func fieldName_fitsTheJournal() {
        #expect(JournalEntry.fieldName("a.b c") == "RECORDER_A_B_C")
        #expect(JournalEntry.fieldName(String(repeating: "x", count: 200)).utf8.count == 64)
    }

    @Test func journal_standardErrorElsewhere_isNotUsed() async throws {
        try await withTemporaryDirectory { directory in
            let file = open(directory + "/stream", O_WRONLY | O_CREAT, 0o600)
            defer { close(file) }
            var kind = stat()
            fstat(file, &kind)
            func isJournal(_ stream: String?) -> Bool {
                JournalLog.isStandardErrorTheJournal(
                    environment: stream.map { ["JOURNAL_STREAM": $0] } ?? [:], descriptor: file)
            }
            #expect(isJournal("\(kind.st_dev):\(kind.st_ino)"))
            #expect(!isJournal("\(kind.st_dev):\(kind.st_ino + 1)"))
            #expect(!isJournal(nil))
        }
    }
}
