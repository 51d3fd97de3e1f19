package import MediaTypes

/// Turns the output of `MovieFileWriter` into segments for a stream. The leading header is the initialization segment,
/// and each fragment is a media segment (ISO/IEC 14496-12, 8.16; RFC 8216, 3.3). The contents of a segment are read
/// from its own header.
///
/// Used by the writer's thread only. `output` may block; the writer then waits as it would for a disk.
package final class FragmentSegments: FragmentOutput {
    package struct Track: Sendable, Equatable {
        package var id: UInt32
        package var mediaType: MediaType
        /// The earliest presentation time of the track's samples, from the session's start.
        package var start: MediaTime
        package var duration: MediaTime
        package var sampleCount: Int
        package var first: Sample
    }

    /// The first sample of a track in decode order.
    package struct Sample: Sendable, Equatable {
        package var time: MediaTime
        /// Offset from the segment's first byte.
        package var offset: Int
        package var size: Int
        package var isKeyframe: Bool
    }

    package enum Segment {
        case initialization([UInt8])
        case media([UInt8], [Track])
    }

    package typealias Output = (Segment) throws(MediaError) -> Void

    /// The description of a track in the initialization segment.
    private struct Timing {
        var mediaType: MediaType
        var timeScale: Int32
        /// The start of the session on the track's timeline.
        var sessionStart: Int64
    }

    private let output: Output
    private let isCMAF: Bool
    private var timings: [UInt32: Timing] = [:]
    /// The bytes of the current fragment.
    private var pending: [UInt8] = []

    /// - Parameter isCMAF: true if the output has one track and declares conformance to ISO/IEC 23000-19.
    package init(isCMAF: Bool = false, output: @escaping Output) {
        self.isCMAF = isCMAF
        self.output = output
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MediaError) {
        pending.append(contentsOf: bytes)
    }

    /// Passes the complete fragment to `output` as a segment.
    package func synchronize() throws(MediaError) {
        let bytes = pending
        pending = []
        var reader = ByteReader(bytes)
        var header: [UInt8] = []
        while reader.remaining >= 8 {
            let start = reader.position
            guard let size = reader.u32(), let type = reader.code() else { break }
            if type == "moof" {
                if !header.isEmpty { try begin(header) }
                return try emit(bytes[start...], headerSize: Int(size))
            }
            guard size >= 8, reader.skip(Int(size) - 8) else { break }
            // A stream does not need the atom that reserves space for a finalized file's header.
            if type == "ftyp", isCMAF {
                header += Self.commonHeaderType
            } else if type == "ftyp" || type == "moov" {
                header += bytes[start..<reader.position]
            }
        }
        if !header.isEmpty { try begin(header) }
    }

    private func begin(_ header: [UInt8]) throws(MediaError) {
        var reader = ByteReader(header)
        guard let size = reader.u32(), reader.skip(max(0, Int(size) - 4)),
            let movie = Atom(parsing: header[reader.position...])
        else { return }
        for trak in movie.all("trak") {
            guard let id = FinalHeader.trackID(trak) else { continue }
            let edits = trak.find("edts", "elst").flatMap { EditList(payload: $0.payload) }
            timings[id] = Timing(
                mediaType: trak.find("mdia", "minf", "vmhd") != nil ? .video : .audio,
                timeScale: FinalHeader.timeScale(trak.find("mdia", "mdhd")) ?? 1000,
                sessionStart: max(0, edits?.entries.last?.mediaTime ?? 0))
        }
        try output(.initialization(header))
    }

    private func emit(_ fragment: ArraySlice<UInt8>, headerSize: Int) throws(MediaError) {
        let parts = FragmentReader.tracks(inMovieFragment: Array(fragment.prefix(headerSize))) ?? []
        let type = isCMAF ? Self.commonSegmentType : Self.segmentType
        let tracks = parts.compactMap { part in timings[part.id].map { Self.describe(part, $0, offset: type.count) } }
        try output(.media(type + fragment, tracks))
    }

    /// - Parameter offset: the start of the `moof` in the segment.
    private static func describe(_ part: FragmentReader.Track, _ timing: Timing, offset: Int) -> Track {
        var time = Int64(clamping: part.decodeTime)
        var first = Int64.max
        var end = Int64.min
        for run in part.chunks.flatMap(\.runs) {
            let length = Int64(run.duration) * Int64(run.count)
            first = min(first, time + Int64(run.compositionOffset))
            end = max(end, time + Int64(run.compositionOffset) + length)
            time += length
        }
        let start = first == .max ? time : first
        let (chunk, run) = (part.chunks.first, part.chunks.first?.runs.first)
        let shown = Int64(clamping: part.decodeTime) + Int64(run?.compositionOffset ?? 0)
        return Track(
            id: part.id, mediaType: timing.mediaType,
            start: MediaTime(value: start - timing.sessionStart, timescale: timing.timeScale),
            duration: MediaTime(value: max(0, end - start), timescale: timing.timeScale),
            sampleCount: Int(clamping: part.sampleCount),
            first: Sample(
                time: MediaTime(value: shown - timing.sessionStart, timescale: timing.timeScale),
                offset: offset + Int(chunk?.dataOffset ?? 0), size: Int(run?.size ?? 0),
                isKeyframe: run?.isKeyframe ?? false))
    }

    /// `ftyp` and `styp` of CMAF (ISO/IEC 23000-19, 7.2 and 7.3.3).
    private static let commonHeaderType = AtomWriter.build("ftyp") { ftyp in
        ftyp.code("iso6")
        ftyp.u32(0)
        for brand in ["iso6", "cmfc", "mp41"] as [FourCharCode] { ftyp.code(brand) }
    }
    private static let commonSegmentType = AtomWriter.build("styp") { styp in
        styp.code("cmfs")
        styp.u32(0)
        for brand in ["cmfs", "cmff", "iso6"] as [FourCharCode] { styp.code(brand) }
    }

    /// The `styp` atom before every media segment (ISO/IEC 14496-12, 8.16.2).
    private static let segmentType = AtomWriter.build("styp") { styp in
        styp.code("msdh")
        styp.u32(0)
        styp.code("msdh")
        styp.code("msix")
    }
}
