import ArchiveService
import FileSystem
import Foundation
import MediaTypes
import RecorderStorage
import TestSupport
import Testing

/// Removal of sources: it requires the receipt of the run that made and verified the copy, and the same file that was
/// read.
@Suite struct SourceRemovalTests {
    private let place: TemporaryDirectory
    private let state: StateDirectory
    private let key: RunKey
    private let source: RawPath
    private let output: RawPath

    init() throws {
        place = try TemporaryDirectory()
        state = StateDirectory(environment: ["XDG_STATE_HOME": place.path("state")])
        key = try RunKey(ofPlan: "/a.plan", in: state)
        (source, output) = (RawPath(place.path("source.mov")), RawPath(place.path("copy.mov")))
        try Data("the source".utf8).write(to: place.file("source.mov"))
        try Data("the copy".utf8).write(to: place.file("copy.mov"))
    }

    private func facts(_ name: String) -> stat {
        var facts = stat()
        _ = lstat(place.path(name), &facts)
        return facts
    }

    private func movie() -> ArchivePlan.Movie {
        let facts = facts("source.mov")
        return ArchivePlan.Movie(
            source: source,
            identity: SourceIdentity(
                size: Int64(facts.st_size),
                modified: Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec),
                inode: UInt64(facts.st_ino)),
            output: output, duration: 1, cost: 1)
    }

    private func receipt(of movie: ArchivePlan.Movie, boot: String = "boot") throws -> TranscodeReceipt {
        TranscodeReceipt(
            source: TranscodeReceipt.Source(
                path: movie.source.planText, device: UInt64(facts("copy.mov").st_dev), boot: boot,
                inode: movie.identity.inode, size: movie.identity.size, modified: movie.identity.modified,
                hash: try SourceIdentity.hash(of: movie.source)),
            output: output.planText, fingerprint: "f", size: Int64(facts("copy.mov").st_size),
            hash: try SourceIdentity.hash(of: output))
    }

    private func remove(
        _ movie: ArchivePlan.Movie, _ receipts: [TranscodeReceipt], listsIn lists: StateDirectory? = nil,
        acceptsLosses: Bool = false, recorders: [RecordingName] = [], others: [StateDirectory] = []
    ) throws(MediaError) -> Bool {
        let recordings = OwnerRemoval(
            in: lists ?? state, recorders: { recorders },
            configuration: { name throws(MediaError) in
                var configuration = RecordingConfiguration()
                configuration.name = name
                return configuration
            })
        return try SourceRemoval(
            recordings, others: { _ in others }, key: key, acceptsLosses: acceptsLosses, boot: "boot"
        )
        .remove(movie, fingerprint: "f", receipts: receipts)
    }

    private func refusal(
        _ movie: ArchivePlan.Movie, _ receipts: [TranscodeReceipt], listsIn lists: StateDirectory? = nil
    ) -> MediaError? {
        do throws(MediaError) {
            _ = try remove(movie, receipts, listsIn: lists)
            return nil
        } catch { return error }
    }

    private var isThere: Bool { access(place.path("source.mov"), F_OK) == 0 }

    @Test func removal_genuineReceipt_deletesTheSource() throws {
        let movie = movie()
        let receipt = key.seal(try receipt(of: movie))
        #expect(try remove(movie, [receipt]))
        #expect(!isThere)
        #expect(place.names == ["copy.mov", "state"])
        // A source that is gone is not deleted again.
        #expect(try !remove(movie, [receipt]))
    }

    @Test func removal_recordersListsUnreadable_keepsTheSource() throws {
        let movie = movie()
        let receipt = key.seal(try receipt(of: movie))
        let base = place.path("lists")
        let lists = StateDirectory(environment: ["XDG_STATE_HOME": base])
        // A file where the directory is expected cannot be listed, even by root.
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: lists.path))
        #expect(refusal(movie, [receipt], listsIn: lists)?.underlying == .errno(ENOTDIR))
        #expect(isThere)
        try FileManager.default.removeItem(atPath: lists.path)
        #expect(try remove(movie, [receipt], listsIn: lists))
    }

    /// The recorder belongs to this user, or to another one such as the service. The directory's name is not UTF-8.
    @Test(arguments: [false, true]) func removal_recordingWaitsForItsCopy_keepsTheSource(isOthers: Bool) throws {
        let known = movie()
        let folder = RawPath(bytes: Array(place.path("caf").utf8) + [0xE9])
        let moved = folder.appending("source.mov")
        #expect(folder.withCString { mkdir($0, 0o755) } == 0)
        #expect(source.withCString { from in moved.withCString { rename(from, $0) } } == 0)
        let movie = ArchivePlan.Movie(
            source: moved, identity: known.identity, output: output, duration: 1, cost: 1)
        let receipt = key.seal(try receipt(of: movie))
        let lists = isOthers ? StateDirectory(environment: ["XDG_STATE_HOME": place.path("service")]) : state
        let front = try RecordingName(parsing: "front")
        let catalogue = RecordingCatalogue(front, in: lists)
        try catalogue.add(PathText.text(moved.bytes))
        let remote = try catalogue.beginCopies(to: "nas:front")
        func remove() throws(MediaError) -> Bool {
            try self.remove(movie, [receipt], recorders: isOthers ? [] : [front], others: isOthers ? [lists] : [])
        }
        let error = #expect(throws: MediaError.self) { try remove() }
        #expect(error?.code == .busy && error?.reason == "it is not copied to nas:front yet")
        #expect(moved.withCString { access($0, F_OK) } == 0)
        let entry = try catalogue.entry(PathText.text(moved.bytes))
        try catalogue.recordCopied(try #require(entry), to: remote)
        #expect(try remove())
        #expect(try catalogue.recordings.isEmpty)
    }

    @Test func statesOfOthers_anotherOwner_includesTheirHome() {
        let own = SourceRemoval.statesOfOthers(geteuid())
        #expect(own.map(\.path) == ["/var/lib/recorder"])
        let root = SourceRemoval.statesOfOthers(geteuid() == 0 ? 1 : 0)
        #expect(root.count == 2 && root.last?.path.hasSuffix("/.local/state/recorder") == true)
        // No user of this machine: a file on a NAS.
        #expect(SourceRemoval.statesOfOthers(.max - 7).count == 1)
    }

    @Test func removal_keptSource_keepsTheSource() throws {
        let movie = movie()
        let receipt = key.seal(try receipt(of: movie))
        try Data().write(to: place.file("source.mov.keep"))
        #expect(refusal(movie, [receipt])?.reason == "`recorder keep` protects it")
        #expect(isThere)
        try FileManager.default.removeItem(at: place.file("source.mov.keep"))
        #expect(try remove(movie, [receipt]))
    }

    @Test func removal_copyLacksSomething_keepsTheSourceUnlessAccepted() throws {
        let movie = movie()
        var receipt = try receipt(of: movie)
        receipt.leftOut = ["track 3, text (subrip): no decoder", "the signature: it is gone"]
        receipt = key.seal(receipt)
        let error = try #require(refusal(movie, [receipt]))
        #expect(error.code == .notPermitted && isThere)
        #expect(
            error.reason == "its copy lacks track 3, text (subrip): no decoder; the signature: it is gone")
        #expect(error.wayOut.contains("--replace-incomplete"))
        // An earlier copy that lacked nothing is not the one that is on the disk.
        var earlier = try self.receipt(of: movie)
        earlier.hash = String(repeating: "0", count: 64)
        #expect(refusal(movie, [key.seal(earlier), receipt])?.reason == error.reason && isThere)
        // Without the seal, the list could be emptied.
        var emptied = receipt
        emptied.leftOut = []
        #expect(refusal(movie, [emptied])?.reason.hasPrefix("no receipt") == true && isThere)
        #expect(try remove(movie, [receipt], acceptsLosses: true))
        #expect(!isThere)
    }

    @Test func removal_noReceipt_keepsTheSource() throws {
        #expect(refusal(movie(), [])?.code == .notPermitted)
        #expect(isThere)
    }

    /// A user who can write the plan and its records knows everything except the secret.
    @Test func removal_forgedReceipt_keepsTheSource() throws {
        let movie = movie()
        let other = try RunKey(
            ofPlan: "/a.plan", in: StateDirectory(environment: ["XDG_STATE_HOME": place.path("other")]))
        let otherPlan = try RunKey(ofPlan: "/b.plan", in: state)
        let genuine = key.seal(try receipt(of: movie))
        var forged = [try receipt(of: movie), other.seal(genuine), otherPlan.seal(genuine)]
        for change in [
            { $0.source.path = "/elsewhere" }, { $0.source.inode += 1 }, { $0.source.hash = "" }, { $0.output = "/x" },
            { $0.size += 1 }, { $0.hash = "" }, { $0.fingerprint = "g" }, { $0.source.device += 1 },
        ] as [(inout TranscodeReceipt) -> Void] {
            var receipt = genuine
            change(&receipt)
            forged.append(receipt)
        }
        for receipt in forged { #expect(refusal(movie, [receipt])?.code == .notPermitted) }
        #expect(isThere)
    }

    /// A genuine receipt of another movie or another copy does not apply to this one.
    @Test func removal_receiptOfAnotherCopy_keepsTheSource() throws {
        let movie = movie()
        for change in [
            { $0.output = "/x" }, { $0.fingerprint = "g" }, { $0.source.path = "/x" },
        ] as [(inout TranscodeReceipt) -> Void] {
            var receipt = try receipt(of: movie)
            change(&receipt)
            #expect(refusal(movie, [key.seal(receipt)])?.code == .notPermitted)
        }
        #expect(isThere)
    }

    @Test(arguments: ["the c0py", "the copy and more", ""])
    func removal_damagedCopy_keepsTheSource(text: String) throws {
        let movie = movie()
        let receipt = key.seal(try receipt(of: movie))
        try Data(text.utf8).write(to: place.file("copy.mov"))
        #expect(refusal(movie, [receipt])?.code == .corruptData)
        #expect(isThere)
    }

    @Test func removal_copyGone_keepsTheSource() throws {
        let movie = movie()
        let receipt = key.seal(try receipt(of: movie))
        unlink(place.path("copy.mov"))
        #expect(refusal(movie, [receipt])?.code == .corruptData)
        #expect(isThere)
    }

    @Test func removal_copyIsALinkToTheSource_keepsTheSource() throws {
        let movie = movie()
        unlink(place.path("copy.mov"))
        _ = link(place.path("source.mov"), place.path("copy.mov"))
        let receipt = key.seal(try receipt(of: movie))
        #expect(refusal(movie, [receipt])?.code == .invalidState)
        #expect(isThere)
    }

    /// Other content with the same inode, size and time.
    @Test func removal_sourceRewrittenInPlace_keepsIt() throws {
        let movie = movie()
        let receipt = key.seal(try receipt(of: movie))
        let facts = facts("source.mov")
        let handle = try FileHandle(forWritingTo: place.file("source.mov"))
        try handle.write(contentsOf: Data("THE SOURCE".utf8))
        try handle.close()
        let times = [facts.st_atim, facts.st_mtim]
        utimensat(AT_FDCWD, place.path("source.mov"), times, 0)
        #expect(self.facts("source.mov").st_mtim.tv_nsec == facts.st_mtim.tv_nsec)
        #expect(refusal(movie, [receipt])?.reason.contains("not the file that its copy was made from") == true)
        #expect(isThere)
    }

    /// The plan was edited to name another file.
    @Test func removal_anotherFileUnderTheSourcesName_keepsIt() throws {
        let receipt = key.seal(try receipt(of: movie()))
        unlink(place.path("source.mov"))
        try Data("another 10".utf8).write(to: place.file("source.mov"))
        #expect(refusal(movie(), [receipt])?.code == .invalidState)
        #expect(isThere)
    }

    /// A device number is only valid until the next boot.
    @Test func removal_anotherDevice_keepsTheSourceDuringTheSameBoot() throws {
        let movie = movie()
        var receipt = try receipt(of: movie)
        receipt.source.device += 1
        #expect(refusal(movie, [key.seal(receipt)])?.code == .invalidState)
        #expect(isThere)
        receipt.source.boot = "an earlier one"
        #expect(try remove(movie, [key.seal(receipt)]))
    }
}

@Suite struct RunKeyTests {
    private let place: TemporaryDirectory
    private let directory: RunDirectory
    private let receipt = TranscodeReceipt(
        source: TranscodeReceipt.Source(path: "/a", device: 1, boot: "b", inode: 2, size: 3, modified: 4, hash: "h"),
        output: "/o", fingerprint: "f", size: 5, hash: "c")

    init() throws {
        place = try TemporaryDirectory()
        directory = RunDirectory(ofPlan: place.path("a.plan"))
        try directory.make()
    }

    private func key() throws -> RunKey {
        try RunKey(
            ofPlan: place.path("a.plan"), in: StateDirectory(environment: ["XDG_STATE_HOME": place.path("state")]))
    }

    @Test func key_madeAgain_isTheSame() throws { #expect(try key().isGenuine(try key().seal(receipt))) }

    @Test func key_shared_sealsForNodes() throws {
        #expect(RunKey(sharedIn: directory) == nil)
        try key().share(in: directory)
        let shared = try #require(RunKey(sharedIn: directory))
        #expect(try key().isGenuine(shared.seal(receipt)))
    }

    @Test func key_sharedFileOthersMayRead_isNotUsed() throws {
        try key().share(in: directory)
        _ = chmod(directory.key, 0o640)
        #expect(RunKey(sharedIn: directory) == nil)
    }

    /// Another user left a key there: the run replaces it, and receipts sealed with it are not genuine.
    @Test func key_sharedByAnother_isReplaced() throws {
        try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: directory.key))
        _ = chmod(directory.key, 0o600)
        let forged = try #require(RunKey(sharedIn: directory)).seal(receipt)
        try key().share(in: directory)
        #expect(try !key().isGenuine(forged))
        #expect(try key().isGenuine(try #require(RunKey(sharedIn: directory)).seal(receipt)))
    }
}
