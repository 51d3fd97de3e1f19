import CommandInterface
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Target, rate and hours of uploads, as users write them.
@Suite struct CopySettingsTests {
    @Test(arguments: [
        ("nas:recordings/front", "nas:recordings/front/a.mov"), ("nas:", "nas:a.mov"),
        (":local:/mnt", ":local:/mnt/a.mov"),
        ("/mnt/nas/", "/mnt/nas/a.mov"), ("my nas:a b", "my nas:a b/a.mov"),
    ])
    func remote_syntaxOfRclone_isAccepted(text: String, place: String) throws {
        #expect(try CopyRemote(parsing: text).path(of: "a.mov") == place)
    }

    @Test(arguments: ["", "recordings/front", ":", ":sftp,pass=secret:there", "nas:../up", "nas:a\nb"])
    func remote_invalidOrWithSecrets_isRefused(text: String) {
        #expect(throws: OptionError.self) { try CopyRemote(parsing: text) }
    }

    @Test(arguments: [("2 MB/s", Int64(2_000_000)), ("2MB/s", 2_000_000), ("500kB/s", 500_000), ("1Mi", 1 << 20)])
    func limit_withUnit_isRead(text: String, limit: Int64) throws {
        #expect(try CopyText.parseLimit(text) == limit)
        #expect(try CopyText.parseLimit(CopyText.text(limit: limit)) == limit)
    }

    @Test(arguments: ["2", "fast", "1B/s", "-1MB/s"]) func limit_invalid_isRefused(text: String) {
        #expect(throws: OptionError.self) { try CopyText.parseLimit(text) }
    }

    @Test func hours_acrossMidnight_containTheNight() throws {
        let night = try CopyHours(parsing: "22:00-6:00")
        #expect(night.text == "22:00-06:00")
        for (minute, isInside) in [(22 * 60, true), (0, true), (359, true), (360, false), (22 * 60 - 1, false)] {
            #expect(night.contains(minute) == isInside)
        }
        let day = try CopyHours(parsing: "08:30-24:00")
        for (minute, isInside) in [(8 * 60 + 29, false), (8 * 60 + 30, true), (1439, true), (0, false)] {
            #expect(day.contains(minute) == isInside)
        }
    }

    @Test(arguments: ["22-6", "22:00", "25:00-06:00", "22:60-06:00", "6:00-6:00", "24:30-01:00", "a:00-b:00"])
    func hours_invalid_areRefused(text: String) {
        #expect(throws: OptionError.self) { try CopyHours(parsing: text) }
    }

    @Test func keepUntilCopied_noRemoteOrFreeSpace_isRefused() throws {
        func configuration(_ remote: Bool, _ kind: CopyHold, free: Int64?) throws {
            var draft = RecordingDraft()
            if remote { draft.configuration.copies.remote = try CopyRemote(parsing: "nas:") }
            draft.hold = kind
            draft.configuration.retention.freeSpace = free
            _ = try draft.finished()
        }
        #expect(throws: OptionError.self) { try configuration(false, .always, free: nil) }
        #expect(throws: OptionError.self) { try configuration(true, .unlessFull, free: nil) }
        try configuration(true, .always, free: nil)
        try configuration(true, .unlessFull, free: 5_000_000_000)
    }
}
