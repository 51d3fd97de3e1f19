import FileSystem
import Foundation
import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import RecorderStorage

/// Pins of requests for clips: each ends with its request, and never takes another pin with it.
@Suite struct RequestPinsTests {
    private let directory: TemporaryDirectory
    private let state: StateDirectory
    private let front: RecordingName

    init() throws {
        directory = try TemporaryDirectory()
        state = StateDirectory(environment: ["XDG_STATE_HOME": directory.path("state")])
        front = try RecordingName(parsing: "front")
        try FileManager.default.createDirectory(at: directory.file("movies"), withIntermediateDirectories: true)
    }

    private var pins: OwnerPins { OwnerRemoval(of: front, in: state).pins }

    private var catalogue: RecordingCatalogue { RecordingCatalogue(front, in: state) }

    private func record(_ name: String) throws -> String {
        let path = directory.path("movies/\(name)")
        try Data(count: 100).write(to: directory.file("movies/\(name)"))
        try catalogue.add(path, root: directory.path("movies"))
        return path
    }

    private func isKept(_ path: String) throws -> Bool { try #require(try catalogue.entry(path)).isKept }

    @Test func release_itsOwnPin_endsIt() throws {
        let path = try record("a.mov")
        #expect(try pins.keep(path, request: "one").pin?.requests == ["one"])
        #expect(try isKept(path))
        #expect(try pins.release(path, of: "one"))
        #expect(try !isKept(path) && !PinFile.isThere(path))
        #expect(try !pins.release(path, of: "one"))
    }

    @Test func release_lockCannotBeOpened_saysWhyAndKeeps() throws {
        let path = try record("a.mov")
        _ = try pins.keep(path, request: "one")
        let lock = state.path + "/pins.lock"
        try FileManager.default.removeItem(atPath: lock)
        try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: "elsewhere")
        let error = #expect(throws: MediaError.self) { try pins.release(path, of: "one") }
        #expect(error?.underlying == .errno(ELOOP) && error?.description.contains(lock) == true)
        #expect(try isKept(path))
    }

    @Test func release_ownersPin_stays() throws {
        let path = try record("a.mov")
        _ = try pins.keep(path, note: "gate")
        #expect(try pins.keep(path, note: "delivery", request: "one").pin?.note == "gate")
        #expect(try !pins.release(path, of: "one"))
        #expect(try isKept(path))
    }

    @Test func release_keptByTheOwnerMeanwhile_stays() throws {
        let path = try record("a.mov")
        _ = try pins.keep(path, request: "one")
        #expect(try pins.keep(path, note: "gate").pin?.requests == nil)
        #expect(try !pins.release(path, of: "one"))
        #expect(try isKept(path))
    }

    @Test func release_anotherRequest_stays() throws {
        let path = try record("a.mov")
        _ = try pins.keep(path, request: "one")
        #expect(try pins.keep(path, request: "two").pin?.requests == ["one", "two"])
        #expect(try !pins.release(path, of: "one"))
        #expect(try isKept(path))
        #expect(try pins.release(path, of: "two"))
        #expect(try !isKept(path))
    }

    @Test func release_sidecarMadeByHand_stays() throws {
        let path = try record("a.mov")
        try Data().write(to: directory.file("movies/a.mov.keep"))
        #expect(try pins.keep(path, request: "one").pin?.requests == nil)
        #expect(try !pins.release(path, of: "one"))
        #expect(try isKept(path))
    }

    @Test func release_keptByTheCatalogueAlone_stays() throws {
        let path = try record("a.mov")
        _ = try pins.keep(path)
        #expect(unlink(path + ".keep") == 0)
        _ = try pins.keep(path, request: "one")
        #expect(try !pins.release(path, of: "one"))
        #expect(try isKept(path))
    }

    @Test func release_recordingThatWasInProgress_endsUnderItsFinalName() throws {
        let growing = directory.path("movies/a.recording.mov")
        try Data(count: 100).write(to: directory.file("movies/a.recording.mov"))
        _ = try pins.keep(growing, request: "one")
        let path = directory.path("movies/a.mov")
        #expect(rename(growing, path) == 0)
        try catalogue.add(path)
        #expect(try isKept(path))
        #expect(try pins.release(path, of: "one"))
        #expect(try !isKept(path))
    }

    @Test func unkeep_pinOfARequest_endsIt() throws {
        let path = try record("a.mov")
        _ = try pins.keep(path, request: "one")
        #expect(try pins.unkeep(path).wasKept)
        #expect(try !isKept(path))
    }
}
