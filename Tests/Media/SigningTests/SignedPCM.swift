import Foundation
import MediaTypes
import MovieFile
import TestSupport

@testable import Signing

/// A signed recording with H.264 and PCM audio, in fragments of half a second. No two ranges of its audio are equal.
enum SignedPCM {
    static let rate = 8000
    static let finished = try! make(cutTo: nil)

    /// - Parameter share: the share of the last fragment that a crash left; nil for a recording that its recorder
    ///   finalized.
    static func make(cutTo share: Double?) throws -> [UInt8] {
        let video = try Recording(seconds: 2)
        let start = video.sessionStart
        let format = AudioFormat(pcm: .s16, sampleRate: rate, channelCount: 1)
        var random = SeededRandom(seed: 7)
        let audio = (0..<200).map { number in
            let bytes = (0..<160).map { _ in UInt8.random(in: 0...255, using: &random) }
            let time = start + MediaTime(value: Int64(number * 80), timescale: Int32(rate))
            return TrackSample(
                track: 1, sample: SampleBuffer(pcm: MediaData(bytes), format: format, presentationTime: time))
        }
        let all = (video.fragments.joined().filter { $0.track == 0 } + audio)
        let fragments = (0..<4).map { half in
            all.filter { packet in
                let time = packet.sample.decodeTime ?? packet.sample.presentationTime
                return min(max(0, (time - start).ticks(in: 2, rounding: .down)), 3) == Int64(half)
            }
        }
        let sealing = SignedMovie.signer().file(begun: SignedMovie.begun)
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1_000_000, creationTime: 1_700_000_000, metadata: [],
            tracks: [
                video.tracks[0],
                MovieTrack(id: 2, mediaType: .audio, format: .audio(format), timeScale: Int32(rate)),
            ], sessionStart: start, sealing: sealing)
        for (index, part) in fragments.enumerated() {
            try writer.writeFragment(part, next: index + 1 < fragments.count ? fragments[index + 1].first : nil)
        }
        if let share {
            guard let last = try SignedMovie.fragments(storage.bytes).last else { return [] }
            let torn = MemoryStorage(Array(storage.bytes[..<(last.lowerBound + Int(Double(last.count) * share))]))
            try MovieFinisher.finish(torn)
            return torn.bytes
        }
        var facts = FinishingInfo(trackEnds: [2: MediaTime(value: 2, timescale: 1)])
        let end = sealing.end(movieEnd: facts.sessionEnd, trackEnds: facts.trackEnds, metadata: [])
        if let end { facts.metadata.append(end) }
        try MovieFinisher.finish(storage, facts: facts)
        return storage.bytes
    }

    /// The statement that earlier versions made for the same cut: they proved nothing of a partial leaf.
    static func earlier(_ statement: CutStatement) throws -> CutStatement {
        var statement = statement
        for index in statement.fragments.indices {
            for rest in statement.fragments[index].rest ?? [] {
                guard let seal = CutStatement.seal(statement.fragments[index].proof), let head = SignedHead(seal.head),
                    let part = head.tracks?.firstIndex(where: { $0.id == rest.id }),
                    let track = statement.tracks.firstIndex(where: { $0.source == rest.id })
                else { continue }
                let kept = statement.fragments[index].kept[part][1]
                if rest.after.isEmpty {
                    statement.tracks[track].before += kept
                } else {
                    statement.tracks[track].after += kept
                }
                statement.fragments[index].kept[part] = [1, 0, 0]
                statement.fragments[index].left = try left(head.number, statement.fragments[index].kept)
            }
            statement.fragments[index].rest = nil
        }
        return statement
    }

    private static func left(_ number: UInt32, _ kept: [[Int]]) throws -> String {
        var fragments = try SealedFragments(MemoryStorage(finished))
        while let fragment = try fragments.next() {
            guard fragment.number == number else { continue }
            var hashes: [[UInt8]?] = []
            for (track, kept) in zip(fragment.tracks, kept) {
                for (index, leaf) in track.samples(isOne: track.id == 2).enumerated() {
                    var hash = LeafHash(track: track.id, leaf.contents)
                    for piece in leaf.pieces { _ = try fragments.read(piece.range) { hash.add($0) } }
                    let isKept = index >= kept[0] && index < kept[0] + kept[1]
                    hashes.append(isKept ? nil : hash.finish())
                }
            }
            return Data(PartialTree.hashes(hashes[...]).flatMap(\.self)).base64EncodedString()
        }
        return ""
    }
}
