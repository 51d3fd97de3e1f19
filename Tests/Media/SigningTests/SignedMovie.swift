import Foundation
import MediaTypes
import MovieFile
import TestSupport

@testable import Signing

/// A short signed recording with H.264 and AAC, in fragments of about half a second.
struct SignedMovie {
    static let key = SigningKey()
    static let begun = Date(timeIntervalSince1970: 1_700_000_000)
    private static let material = try! Recording(seconds: 4)

    /// The file while it grows.
    let growing: [UInt8]
    /// The file as its recorder finalized it.
    let finished: [UInt8]

    static func signer(_ key: SigningKey = key) -> RecordingSigner {
        RecordingSigner(
            key, .init(recorder: "front", software: "recorder test", camera: "test camera", microphone: nil)
        ) { SignedTime(date: begun, uncertainty: 0.001) }
    }

    /// - Parameter fragments: the fragments of the material that it contains.
    init(_ signer: RecordingSigner = signer(), fragments: Range<Int>? = nil) throws {
        let material = Self.material
        let sealing = signer.file(begun: Self.begun)
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1_000_000, creationTime: 1_700_000_000,
            metadata: [MetadataItem(key: MetadataItem.titleKey, value: "a title")], tracks: material.tracks,
            sessionStart: material.sessionStart, sealing: sealing)
        let all = material.fragments.flatMap { [Array($0[..<($0.count / 2)]), Array($0[($0.count / 2)...])] }
        for part in all[fragments ?? all.indices] where !part.isEmpty { try writer.writeFragment(part) }
        growing = storage.bytes
        var facts = material.facts
        facts.metadata.append(MetadataItem(key: MetadataItem.ledgerKey, value: "{\"video\":{}}"))
        let end = sealing.end(movieEnd: facts.sessionEnd, trackEnds: facts.trackEnds, metadata: facts.metadata)
        if let end { facts.metadata.append(end) }
        try MovieFinisher.finish(storage, facts: facts)
        finished = storage.bytes
    }

    static let one = try! SignedMovie()

    static func verify(_ bytes: [UInt8], key: SigningKey = key) throws -> Verification {
        var verifier = MovieVerifier(key: key.publicKey)
        return try verifier.verify(MemoryStorage(bytes), name: "movie.mov")
    }

    /// The ranges of the fragments: header and media data.
    static func fragments(_ bytes: [UInt8]) throws -> [Range<Int>] {
        var walk = try SealedFragments(MemoryStorage(bytes))
        var ranges: [Range<Int>] = []
        while let next = try walk.next() { ranges.append(Int(next.range.lowerBound)..<Int(next.range.upperBound)) }
        return ranges
    }
}
