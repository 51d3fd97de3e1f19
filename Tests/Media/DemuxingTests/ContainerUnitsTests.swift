import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import Demuxing

/// Tests that damage in containers of simple units is reported, without libavformat.
@Suite struct ContainerUnitsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] { big(value, count).reversed() }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private static func joined(_ parts: [[UInt8]]) -> [UInt8] { Array(parts.joined()) }

    private static let content = [UInt8](repeating: 0x55, count: 500)

    /// The start of a file and twenty units of the same size.
    private static func file(_ container: String) -> (head: [UInt8], unit: [UInt8]) {
        switch container {
        case "flv":
            let tag = [9] + big(content.count, 3) + zeros(7) + content
            return (Array("FLV".utf8) + [1, 5] + big(9, 4) + big(0, 4), tag + big(tag.count, 4))
        case "mxf":
            let key = [0x06, 0x0E, 0x2B, 0x34, 0x01, 0x02] + [UInt8](repeating: 1, count: 10)
            return ([], key + [0x83] + big(content.count, 3) + content)
        case "ivf":
            return (
                Array("DKIF".utf8) + little(0, 2) + little(32, 2) + zeros(24),
                little(content.count, 4) + little(0, 8) + content
            )
        default:
            let packet = [0x82, 0, 0] + content
            let sizes = [little(packet.count, 4), little(packet.count, 4), little(0, 4)]
            let properties = joined(
                [[0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11], zeros(8), little(104, 8), zeros(68)] + sizes)
            let length = little(30 + properties.count, 8)
            let top = joined(
                [[0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], zeros(8), length, little(1, 4), little(0x0201, 2)])
            let data = joined(
                [[0x36, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], zeros(32), little(20, 8), little(0x0101, 2)])
            return (top + properties + data, packet)
        }
    }

    private func put(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: directory.file(name))
        return directory.path(name)
    }

    private func faults(_ bytes: [UInt8], _ container: String) throws -> [Int64] {
        var units = try #require(ContainerUnits(path: try put(bytes, "a.\(container)"), container: container))
        var places: [Int64] = []
        while let fault = units.fault(upTo: nil, of: []) { places.append(fault.position) }
        return places
    }

    @Test(arguments: ["flv", "asf", "mxf", "ivf"])
    func units_intactFile_haveNoFault(container: String) throws {
        let (head, unit) = Self.file(container)
        let bytes = head + [[UInt8]](repeating: unit, count: 20).joined()
        #expect(try faults(bytes, container).isEmpty)
        var units = try #require(ContainerUnits(path: directory.path("a.\(container)"), container: container))
        units.jump()
        #expect(units.fault(upTo: Int64(head.count + 7 * unit.count), of: []) == nil)
        #expect(units.fault(upTo: nil, of: []) == nil)
    }

    @Test(arguments: ["flv", "asf", "mxf", "ivf"])
    func units_overwrittenBytes_areOneFault(container: String) throws {
        let (head, unit) = Self.file(container)
        var bytes = head + [[UInt8]](repeating: unit, count: 20).joined()
        let start = head.count + 6 * unit.count
        bytes.replaceSubrange(
            (start - 100)..<(start + 3 * unit.count), with: repeatElement(0, count: 3 * unit.count + 100))
        // The size after a tag is overwritten too.
        #expect(try faults(bytes, container) == [Int64(container == "flv" ? start - unit.count : start)])
    }

    @Test(arguments: ["flv", "mxf", "ivf"])
    func units_fileEndsInsideOne_isAFault(container: String) throws {
        let (head, unit) = Self.file(container)
        let bytes = head + [[UInt8]](repeating: unit, count: 20).joined()
        let place = Int64(head.count + 19 * unit.count)
        #expect(try faults(bytes.dropLast(200), container) == [place])
    }

    /// Some programs write other sizes after the tags, and only those.
    @Test func units_tagsWithOtherSizes_areNotFollowed() throws {
        let (head, unit) = Self.file("flv")
        let bytes = head + [[UInt8]](repeating: unit.dropLast(4) + [0, 0, 0, 0], count: 20).joined()
        #expect(ContainerUnits(path: try put(bytes, "a.flv"), container: "flv") == nil)
    }

    @Test func statedSize_headersWithALength_areTheEndOfTheFile() throws {
        let form = Array("FORM".utf8) + Self.big(5000, 4) + Array("AIFF".utf8)
        let audio = Array(".snd".utf8) + Self.big(32, 4) + Self.big(5000, 4)
        let pipe = Array(".snd".utf8) + Self.big(32, 4) + Self.big(0xFFFF_FFFF, 4)
        let (head, unit) = Self.file("asf")
        let partition = Self.joined([
            [0x06, 0x0E, 0x2B, 0x34, 0x02, 0x05, 0x01, 0x01], [UInt8](repeating: 1, count: 8), [0x83],
            Self.big(100, 3), Self.zeros(24), Self.big(9000, 8), Self.zeros(68),
        ])
        for (bytes, container, end) in [
            (form, "aiff", 5008), (audio, "au", 5032), (pipe, "au", nil), (head, "asf", head.count + 20 * unit.count),
            (partition, "mxf", 9017),
        ] as [([UInt8], String, Int?)] {
            let file = try DiskFile(path: put(bytes, "a.\(container)"), mode: .read)
            #expect(StatedSize.end(file, container: container) == end.map { UInt64($0) }, "\(container)")
        }
    }
}
