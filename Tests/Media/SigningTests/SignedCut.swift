import AssetIO
import Foundation
import MediaTypes
import MovieFile
import TestSupport

@testable import Signing

/// A part of a signed recording, made by passthrough of its packets.
struct SignedCut {
    let bytes: [UInt8]
    let outcome: CutProver.Outcome

    /// - Parameters:
    ///   - source: a finalized recording.
    ///   - range: the time range in seconds.
    ///   - media: the media types of its tracks.
    init(
        _ source: [UInt8], _ range: ClosedRange<Double>, media: Set<MediaType> = [.video, .audio],
        fileType: FileType = .mov
    ) async throws {
        let directory = try TemporaryDirectory()
        try Data(source).write(to: directory.file("source.mov"))
        let asset = Asset(url: directory.file("source.mov"))
        let session = try ExportSession(asset: asset, preset: .passthrough)
        let ids = try await asset.load(.tracks).filter { media.contains($0.mediaType) }.map(\.id)
        let from = MediaTime(seconds: range.lowerBound)
        try session.configure {
            $0.timeRange = TimeRange(start: from, end: MediaTime(seconds: range.upperBound))
            $0.trackIDs = ids
            $0.keepsSignedForm = true
        }
        let copy = directory.file("cut.\(fileType.rawValue)")
        try await session.export(to: copy)
        let storage = MemoryStorage(Array(try Data(contentsOf: copy)))
        outcome = try CutProver.prove(storage, of: MemoryStorage(source), from: from)
        if case .statement(let bytes) = outcome { try CutMovie.append(bytes, to: storage) }
        bytes = storage.bytes
    }

    /// The range of the file's atom of a type.
    func atom(_ type: String) throws -> Range<Int> {
        var place = 0
        while place + 8 <= bytes.count {
            let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            if bytes[place + 4..<place + 8].elementsEqual(type.utf8) { return place..<place + size }
            place += max(8, size)
        }
        throw MediaError(.corruptData, "cannot look at the cut", reason: "it has no \(type)")
    }

    var statement: CutStatement? {
        if case .statement(let bytes) = outcome { CutStatement(bytes) } else { nil }
    }

    /// The same movie with another statement.
    func stating(_ statement: CutStatement) throws -> [UInt8] {
        let storage = MemoryStorage(Array(bytes[..<(try atom("uuid").lowerBound)]))
        try CutMovie.append(statement.bytes, to: storage)
        return storage.bytes
    }
}
