import Foundation
import TestSupport
import Testing

@testable import Demuxing

/// Tests of the judgement of PES packets around a jump of the counter.
@Suite struct TransportJoinsTests {
    private let directory: TemporaryDirectory
    private static let stream = 0x101
    private static let aac: [UInt8] = [0xFF, 0xF1, 0x50, 0x80]
    private static let inside: [UInt8] = [0x21, 0x17, 0x50, 0x80]

    init() throws { directory = try TemporaryDirectory() }

    /// One packet of a transport stream with a complete PES packet.
    ///
    /// - Parameter headerLength: the stated length of the optional PES header, which is empty.
    private func packet(counter: UInt8, _ content: [UInt8], headerLength: UInt8 = 0) -> Data {
        let body: [UInt8] = [0x80, 0, headerLength] + content
        let payload: [UInt8] = [0, 0, 1, 0xC0, 0, UInt8(body.count)] + body
        let stuffing = 188 - 4 - payload.count
        let field: [UInt8] = [UInt8(stuffing - 1), 0] + [UInt8](repeating: 0xFF, count: stuffing - 2)
        let head: [UInt8] = [0x47, 0x40 | UInt8(Self.stream >> 8), UInt8(Self.stream & 0xFF), 0x30 | counter & 15]
        return Data(head + field + payload)
    }

    /// Returns the judgement of the first of several PES packets.
    private func verdict(_ packets: [Data]) throws -> TransportJoins.Verdict {
        let url = directory.file("packets.ts")
        try packets.reduce(into: Data()) { $0 += $1 }.write(to: url)
        return try #require(TransportJoins(path: url.path)).verdict(at: 0, stream: Self.stream)
    }

    private func packets(_ counters: [UInt8], _ contents: [[UInt8]]) -> [Data] {
        zip(counters, contents).map { packet(counter: $0, $1) }
    }

    @Test func verdict_frameBeginsAfterTheJump_isWholeBeforeIt() throws {
        let frames = Array(repeating: Self.aac, count: 5)
        #expect(try verdict(packets([0, 6, 7, 8, 9], frames)) == .wholeBeforeGap(position: 188))
        #expect(try verdict(packets([0, 1, 7, 8, 9], frames)) == .wholeBeforeGap(position: 376))
    }

    /// A frame that began before the jump ends after it.
    @Test func verdict_frameContinuesAfterTheJump_isDamaged() throws {
        let (aac, inside) = (Self.aac, Self.inside)
        #expect(try verdict(packets([0, 6, 7, 8, 9], [aac, inside, aac, aac, aac])) == .damaged)
        #expect(try verdict(packets([0, 1, 7, 8, 9], [aac, aac, inside, aac, aac])) == .damaged)
    }

    /// The content would begin after the end of the packet.
    @Test func verdict_wrongHeaderLength_isDamaged() throws {
        var all = packets([0, 6, 7, 8, 9], Array(repeating: Self.aac, count: 5))
        all[1] = packet(counter: 6, Self.aac, headerLength: 0xFF)
        #expect(try verdict(all) == .damaged)
    }
}
