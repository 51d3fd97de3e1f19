import AssetIO
import Foundation
import MediaTypes

/// Compares the video of movies that are joined. The joined track has one orientation, one pixel aspect ratio and one
/// field order, those of the first movie.
struct JoinedVideo {
    private var first: (name: String, track: AssetTrack)?
    /// True if the frames are not decoded, so that they cannot be adapted.
    private let isCopied: Bool
    /// Descriptions of what is lost, one line each.
    private(set) var lost: [String] = []

    init(isCopied: Bool) { self.isCopied = isCopied }

    /// Adds the video of the next movie.
    ///
    /// - Throws: `invalidSettings` if its frames would be shown wrongly.
    mutating func take(_ track: AssetTrack, of file: URL) throws(MediaError) {
        let next = (name: file.lastPathComponent, track: track)
        guard let known = first else {
            first = next
            return
        }
        guard Self.isOriented(track, as: known.track.preferredTransform) else {
            throw Self.refusal(
                next.name, known.name, reason: "players rotate or mirror them differently",
                wayOut: Self.turning(Self.isOriented(track, as: .identity) ? known : next))
        }
        let (aspect, knownAspect) = (Self.aspect(of: track), Self.aspect(of: known.track))
        if let aspect, let knownAspect, !Self.isSame(aspect, knownAspect) {
            let (own, other) = (Self.text(aspect), Self.text(knownAspect))
            guard !isCopied else {
                throw Self.refusal(
                    next.name, known.name, reason: "their pixel aspect ratios are \(own) and \(other)",
                    wayOut: "re-encode the files to the same size first")
            }
            lost.append(
                "the pixel aspect ratio of \(next.name), \(own): its frames are shown with \(other), like those of "
                    + known.name)
        }
        if let order = Self.showsUpperFirst(track), order != Self.showsUpperFirst(known.track) {
            lost.append(
                "the field order of \(next.name): its frames are stored like those of \(known.name); deinterlace each "
                    + "file before joining")
        }
    }

    private static func refusal(_ name: String, _ known: String, reason: String, wayOut: String) -> MediaError {
        MediaError(.invalidSettings, "cannot join \(name) to \(known)", reason: reason, wayOut: wayOut)
    }

    /// Returns true if players rotate and mirror the frames of a track as a matrix does.
    private static func isOriented(_ track: AssetTrack, as matrix: AffineTransform) -> Bool {
        let own = track.preferredTransform
        return [own.m11 - matrix.m11, own.m12 - matrix.m12, own.m21 - matrix.m21, own.m22 - matrix.m22]
            .allSatisfy { abs($0) < 0.001 }
    }

    /// Returns the advice for a movie whose frames are stored rotated. A crop to the complete frame rotates the frames
    /// themselves.
    private static func turning(_ movie: (name: String, track: AssetTrack)) -> String {
        let size = movie.track.codedSize
        let isUpright = abs(movie.track.preferredTransform.m11) > 0.001
        let (width, height) = isUpright ? (size.width, size.height) : (size.height, size.width)
        return "re-encode \(movie.name) with --crop \(even(Double(width)))x\(even(Double(height)))+0+0 first, which "
            + "rotates the frames themselves"
    }

    private static func even(_ number: Double) -> Int { Int(clamping: number.rounded(.down)) & ~1 }

    private static func aspect(of track: AssetTrack) -> Ratio? { track.formatDescription?.video?.pixelAspectRatio }

    private static func isSame(_ one: Ratio, _ other: Ratio) -> Bool {
        Int64(one.numerator) * Int64(other.denominator) == Int64(other.numerator) * Int64(one.denominator)
    }

    private static func text(_ ratio: Ratio) -> String { "\(ratio.numerator):\(ratio.denominator)" }

    private static func showsUpperFirst(_ track: AssetTrack) -> Bool? {
        track.formatDescription?.video?.fieldOrder?.showsUpperFirst
    }
}
