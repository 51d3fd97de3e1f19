import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import Signing

/// Tests that an alteration of a signed recording is found, or changes nothing visible or audible: then FFmpeg reads
/// the same packets at the same times. Two verifiers that share no code must agree.
///
/// RECORDER_ALTERATIONS is the number of alterations, RECORDER_ALTERATION_SEED the first seed;
/// `scripts/soak alterations` runs 10,000.
@Suite(.timeLimit(.minutes(600))) struct AlterationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["RECORDER_ALTERATIONS"].flatMap { Int($0) } ?? 240
    private static let firstSeed = environment["RECORDER_ALTERATION_SEED"].flatMap { UInt64($0) } ?? 1

    @Test func alteration_ofAnyKind_isFoundOrChangesNothingVisible() async throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.url.path
        do {
            try Data(SignedMovie.key.publicKey.pem.utf8).write(to: URL(fileURLWithPath: directory + "/key.pub"))
            let originals = try await Alteration.Originals()
            let shown = try Dictionary(
                uniqueKeysWithValues: Alteration.Form.allCases.map { form in
                    (form, try Self.packets(originals.bytes(form), form, in: directory))
                })
            var found = 0
            for first in stride(from: 0, to: Self.count, by: 100) {
                var batch: [(Alteration, Verification, String)] = []
                for offset in first..<min(Self.count, first + 100) {
                    let alteration = Alteration.drawn(Self.firstSeed + UInt64(offset), originals)
                    let answer = try SignedMovie.verify(alteration.bytes)
                    let path = directory + "/\(offset).mov"
                    try Data(alteration.bytes).write(to: URL(fileURLWithPath: path))
                    batch.append((alteration, answer, path))
                    if answer.verdict != .genuine { found += 1 }
                    try Self.judge(alteration, answer, shown: shown[alteration.form] ?? [], in: directory)
                }
                try Self.agree(batch, key: directory + "/key.pub")
                for (_, _, path) in batch { try FileManager.default.removeItem(atPath: path) }
            }
            #expect(found > Self.count / 2)
        }
    }

    private static func judge(
        _ alteration: Alteration, _ answer: Verification, shown: [String], in directory: String
    ) throws {
        if answer.verdict == .genuine {
            let packets = try packets(alteration.bytes, alteration.form, in: directory)
            // A missing tail cannot be distinguished from a crash, and the verdict reports it.
            let isWhole = answer.ending == .signed || alteration.form != .finished
            let isCut = alteration.mayCutTail || !isWhole
            let others = isCut ? Self.withoutLast(packets) : packets
            let isSame = isCut ? Set(others).isSubset(of: Set(shown)) : others == shown
            let difference = (
                Set(others).subtracting(shown).sorted().prefix(2), Set(shown).subtracting(others).sorted().prefix(2)
            )
            // Titles are not signed. A broken one may keep FFmpeg from opening the file, which shows nothing false.
            #expect(
                isSame || others.isEmpty, "\(alteration.text) is genuine, and a player sees a difference: \(difference)"
            )
        } else if let range = alteration.samples {
            // The problem is located within the fragment.
            #expect(
                answer.problems.contains {
                    $0.from <= range.upperBound + 0.1 && ($0.to ?? .infinity) >= range.lowerBound - 0.1
                },
                "\(alteration.text) is not where it is reported: \(answer.problems)")
        }
        if alteration.isCovered { #expect(answer.verdict != .genuine, "\(alteration.text) was not found") }
    }

    /// The packets without the last one of each stream. FFmpeg reads the rest of a truncated packet as a packet, and
    /// that of a header as a stream.
    private static func withoutLast(_ packets: [String]) -> [String] {
        var kept: [String] = []
        var streams: Set<Substring> = []
        for line in packets.reversed() {
            let fields = line.split(separator: "|")
            if !line.hasPrefix("packet") || streams.insert(fields[1]).inserted { continue }
            kept.append(line)
        }
        return kept
    }

    /// Checks that the other verifier agrees.
    private static func agree(_ batch: [(Alteration, Verification, String)], key: String) throws {
        let python = Project.path(".build/judges/bin/python")
        let result = try Command.run([python, Project.path("Tests/Judges/signature.py"), key] + batch.map(\.2))
        let lines = result.text.split(separator: "\n")
        #expect(lines.count == batch.count, "\(result.errors)")
        for (line, (alteration, answer, _)) in zip(lines, batch) {
            let other = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(
                other?["verdict"] as? String == answer.verdict.rawValue,
                "\(alteration.text): \(answer.verdict) \(answer.problems), and the other says \(line)")
        }
    }

    /// FFmpeg's reading of a file: each packet with its times, its flags and its hash, and the decoder parameters.
    ///
    /// The end of a cut is not signed: a packet that it brings along may be shown or not.
    private static func packets(_ bytes: [UInt8], _ form: Alteration.Form, in directory: String) throws -> [String] {
        let path = directory + "/judged.mov"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let result = try Command.run(
            "ffprobe", "-v", "quiet", "-show_packets", "-show_streams", "-show_data_hash", "MD5", "-show_entries",
            "packet=stream_index,pts,dts,flags,data_hash:stream=index,codec_name,width,height,extradata_hash"
                + ":stream_side_data=rotation", "-of", "compact", path)
        // Names and dates are not covered.
        return result.text.split(separator: "\n").map { line in
            let fields = line.split(separator: "|").filter { !$0.hasPrefix("tag:") }.map(String.init)
            let known = fields.map { field in
                form == .cut && field.hasPrefix("flags=") ? field.replacingOccurrences(of: "D", with: "_") : field
            }
            return known.joined(separator: "|")
        }
    }
}
