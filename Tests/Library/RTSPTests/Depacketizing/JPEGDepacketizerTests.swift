import MediaTypes
import RTSP
import TestSupport
import Testing

@Suite struct JPEGDepacketizerTests {
    /// Returns the main header (RFC 2435, 3.1).
    private func header(
        offset: Int = 0, type: UInt8 = 1, quality: UInt8 = 50, width: UInt8 = 8, height: UInt8 = 6
    ) -> [UInt8] {
        [0, UInt8(offset >> 16), UInt8(offset >> 8 & 0xFF), UInt8(offset & 0xFF), type, quality, width, height]
    }

    /// Returns the contents of the segments before the scan with their markers, and the data of the scan.
    private func parts(_ image: [UInt8]) -> (segments: [(marker: UInt8, content: [UInt8])], scan: [UInt8]) {
        var segments: [(marker: UInt8, content: [UInt8])] = []
        var position = 2
        while position + 4 <= image.count {
            let (marker, count) = (image[position + 1], Int(image[position + 2]) << 8 | Int(image[position + 3]))
            segments.append((marker, Array(image[(position + 4)..<(position + 2 + count)])))
            position += 2 + count
            if marker == 0xDA { break }
        }
        return (segments, Array(image[position...]))
    }

    @Test func jpeg_fragmentsOfQuality50_becomeAnImage() throws {
        var run = try DepacketizerRun("JPEG")
        try run.add(header() + [1, 2, 3], time: 7)
        try run.add(header(offset: 3) + [4, 5], time: 7, marker: true)
        #expect(run.formats.first?.video?.codec == .mjpeg && run.formats.first?.video?.width == 64)
        let image = try #require(run.data.first)
        #expect(image.prefix(2) == [0xFF, 0xD8])
        let (segments, scan) = parts(image)
        #expect(segments.map(\.marker) == [0xDB, 0xDB, 0xC0, 0xC4, 0xC4, 0xC4, 0xC4, 0xDA])
        // Quality 50 is the table of the standard, in zigzag order.
        #expect(segments[0].content.prefix(7) == [0, 16, 11, 12, 14, 12, 10] && segments[0].content.count == 65)
        #expect(segments[2].content == [8, 0, 48, 0, 64, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
        #expect(scan == [1, 2, 3, 4, 5, 0xFF, 0xD9])
        #expect(run.samples.first?.time == 7 && run.samples.first?.isKeyframe == true)
    }

    @Test func jpeg_restartMarkersAndTables_areInTheHeader() throws {
        var run = try DepacketizerRun("JPEG")
        let tables = [UInt8](repeating: 3, count: 64) + [UInt8](repeating: 4, count: 64)
        // After the main header: an interval of 5, then the length of the tables.
        let head = header(type: 64, quality: 200) + [0, 5, 0xFF, 0xFF, 0, 0, 0] as [UInt8]
        try run.add(head + [128] + tables + [9], marker: true)
        // The next frame refers to the same tables.
        try run.add(head + [0, 9, 0xFF, 0xD9], time: 1, marker: true)
        try #require(run.data.count == 2)
        for image in run.data {
            let (segments, scan) = parts(image)
            #expect(segments.map(\.marker) == [0xDB, 0xDB, 0xDD, 0xC0, 0xC4, 0xC4, 0xC4, 0xC4, 0xDA])
            #expect(segments[1].content == [1] + [UInt8](repeating: 4, count: 64))
            #expect(segments[2].content == [0, 5] && segments[3].content[7] == 0x21)
            #expect(scan == [9, 0xFF, 0xD9])
        }
    }

    @Test func jpeg_missingFragment_dropsTheFrameOnce() throws {
        var run = try DepacketizerRun("JPEG")
        try run.add(header() + [1, 2, 3])
        try run.add(header(offset: 6) + [4], lost: 1)
        try run.add(header(offset: 7) + [4], marker: true)
        try run.add(header() + [1], time: 1, marker: true)
        #expect(run.drops == [.damaged] && run.samples.map(\.lostPackets) == [1])
    }

    @Test func jpeg_over2040Pixels_isRefused() throws {
        var run = try DepacketizerRun("JPEG")
        try run.add(header(width: 0) + [1], marker: true)
        try run.add(header(width: 0) + [1], time: 1, marker: true)
        #expect(run.unsupported.count == 1 && run.unsupported[0].contains("2040"))
        #expect(run.drops.count == 2 && run.samples.isEmpty)
    }

    @Test func jpeg_unknownTablesOrReservedQuality_isDropped() throws {
        var run = try DepacketizerRun("JPEG")
        try run.add(header(quality: 150) + [0, 0, 0, 0, 1], time: 0, marker: true)
        try run.add(header(quality: 0) + [1], time: 1, marker: true)
        try run.add(header(quality: 120) + [1], time: 2, marker: true)
        #expect(run.drops == [.damaged, .damaged, .damaged] && run.samples.isEmpty)
    }

    @Test(arguments: 0..<40) func jpeg_randomPackets_neverCrash(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var run = try DepacketizerRun("JPEG")
        for time in Int64(0)..<200 {
            var payload = (0..<Int.random(in: 0..<200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if payload.count > 4, Bool.random(using: &random) { payload.replaceSubrange(0..<4, with: [0, 0, 0, 0]) }
            try run.add(payload, time: time / 2, marker: Bool.random(using: &random))
        }
        #expect(run.data.allSatisfy { $0.prefix(2) == [0xFF, 0xD8] && $0.suffix(2) == [0xFF, 0xD9] })
    }
}
