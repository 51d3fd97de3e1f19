public import Foundation

/// Rotates the video of a finished movie, as a camera does that is held upright.
///
/// FFmpeg up to 5.1 takes the rotation of a copy from the tag `rotate`, later versions ignore it and have an option
/// instead. So the tests write the matrix themselves.
public enum MovieRotation {
    /// Sets the matrix of the first video track (QTFF, "Track Header Atoms"). It has no translation, like the matrices
    /// that FFmpeg writes.
    ///
    /// - Parameters:
    ///   - degrees: 0, 90, 180 or 270.
    ///   - url: location of a `.mov` or `.mp4` file, whose header may be anywhere.
    public static func set(clockwise degrees: Int, in url: URL) throws {
        var bytes = try Data(contentsOf: url)
        do { try set(clockwise: degrees, in: &bytes) } catch {
            throw Command.Failure(description: "\(url.lastPathComponent): \(error)")
        }
        try bytes.write(to: url)
    }

    private static func set(clockwise degrees: Int, in bytes: inout Data) throws {
        let turns: [Int: (Int32, Int32)] = [0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)]
        guard let (cosine, sine) = turns[degrees] else {
            throw Command.Failure(description: "cannot rotate by \(degrees) degrees")
        }
        let one: Int32 = 1 << 16
        let matrix = [cosine * one, sine * one, 0, -sine * one, cosine * one, 0, 0, 0, 1 << 30]
        let start = try matrixOfVideo(in: bytes)
        for (index, value) in matrix.enumerated() {
            for byte in 0..<4 {
                bytes[start + 4 * index + byte] = UInt8(truncatingIfNeeded: value >> Int32(24 - 8 * byte))
            }
        }
    }

    /// Returns the position of the matrix of the first video track.
    private static func matrixOfVideo(in bytes: Data) throws -> Int {
        let tracks = try AtomPlaces.all("moov", of: bytes, in: bytes.indices).flatMap {
            try AtomPlaces.all("trak", of: bytes, in: $0)
        }
        for track in tracks {
            let handlers = try AtomPlaces.all("mdia", of: bytes, in: track).flatMap {
                try AtomPlaces.all("hdlr", of: bytes, in: $0)
            }
            // After version, flags and component type.
            guard handlers.contains(where: { bytes[$0].dropFirst(8).starts(with: "vide".utf8) }) else { continue }
            guard let header = try AtomPlaces.all("tkhd", of: bytes, in: track).first,
                let version = bytes[header].first, header.count == (version == 1 ? 96 : 84)
            else { throw Command.Failure(description: "the video track has no valid header") }
            // Before width and height.
            return header.upperBound - 44
        }
        throw Command.Failure(description: "there is no video track")
    }
}
