import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of the header that the opening of a file reads once.
struct StoredHeaderTests {
    /// A movie of 2.5 seconds with one track, and a number of bytes in its header that are not used.
    private static func movie(padding: Int) -> [UInt8] {
        var writer = AtomWriter()
        writer.atom("ftyp") { $0.code("qt  ") }
        writer.atom("moov") { movie in
            movie.atom("mvhd") { header in
                // Version, flags and two times, then the time scale and the duration.
                header.zeros(12)
                header.u32(600)
                header.u32(1500)
                header.zeros(80)
            }
            movie.atom("trak") { track in
                track.atom("tkhd") { header in
                    header.zeros(12)
                    header.u32(7)
                    header.zeros(68)
                }
            }
            movie.atom("free") { $0.zeros(padding) }
        }
        return writer.bytes
    }

    private static let duration = MediaTime(value: 2_500_000, timescale: 1_000_000)

    @Test func storedHeader_usualSize_hasDurationAndTracks() {
        let header = StoredHeader(MemoryStorage(Self.movie(padding: 0)))
        #expect(header.duration == Self.duration && header.fault == nil)
        #expect(Array(header.trackHeaders().tracks.keys) == [7])
    }

    /// It is not read into memory.
    @Test func storedHeader_unreasonablyLarge_hasOnlyItsDuration() {
        let header = StoredHeader(MemoryStorage(Self.movie(padding: Int(TopLevelAtoms.largestHeader))))
        #expect(header.duration == Self.duration && header.fault == nil)
        #expect(header.trackHeaders().tracks.isEmpty)
    }

    @Test func storedHeader_notAMovie_isEmpty() {
        let header = StoredHeader(MemoryStorage(Array("RIFF....WAVE".utf8)))
        #expect(header.duration == nil && header.fault == nil && header.trackHeaders().tracks.isEmpty)
    }
}
