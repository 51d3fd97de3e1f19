import AVFoundation
import Foundation

// Declarations in files of the program that are not compiled here, most of which draw windows.

extension URL {
    var fileSize: Int {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
        return size?.intValue ?? 0
    }
    var contentType: UTType? { UTType(filenameExtension: pathExtension) }
}

extension NSError {
    static func appError(_ description: String, recoverySuggestion: String? = nil) -> NSError {
        var information: [String: Any] = [NSLocalizedDescriptionKey: description]
        information[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
        return NSError(domain: "Gifski", code: 1, userInfo: information)
    }
}

extension CGSize {
    var formatted: String { "\(Int(width))×\(Int(height))" }
}

struct VideoCodec: Hashable, CustomStringConvertible {
    var code: FourCharCode

    static let appleAnimation = VideoCodec(code: kCMVideoCodecType_Animation)
    private static let supported = [
        kCMVideoCodecType_H264, kCMVideoCodecType_HEVC, kCMVideoCodecType_AppleProRes4444,
    ]

    var isSupported: Bool { Self.supported.contains(code) }
    var description: String {
        String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }, as: UTF8.self)
    }
}

extension AVAsset {
    struct VideoMetadata: Hashable {
        var dimensions: CGSize
        var duration: TimeInterval
        var frameRate: Double
    }

    var firstVideoTrack: AVAssetTrack? { get async throws { try await loadTracks(withMediaType: .video).first } }
    var hasVideo: Bool { get async throws { try await firstVideoTrack != nil } }
    var hasAudio: Bool { get async throws { try await !loadTracks(withMediaType: .audio).isEmpty } }
    var videoCodec: VideoCodec? { get async throws { try await firstVideoTrack?.codec } }

    var isVideoDecodable: Bool {
        get async throws {
            guard try await load(.isReadable), let track = try await firstVideoTrack else { return false }
            return try await track.load(.isDecodable)
        }
    }

    var dimensions: CGSize? {
        get async throws {
            guard let track = try await firstVideoTrack else { return nil }
            let (size, transform) = try await track.load(.naturalSize, .preferredTransform)
            let turned = size.applying(transform)
            return CGSize(width: abs(turned.width), height: abs(turned.height))
        }
    }

    var videoMetadata: VideoMetadata? {
        get async throws {
            guard let track = try await firstVideoTrack, let size = try await dimensions else { return nil }
            let rate = try await track.load(.nominalFrameRate)
            return VideoMetadata(
                dimensions: size, duration: try await load(.duration).seconds, frameRate: Double(rate))
        }
    }

    var debugInfo: String {
        get async throws { "\(try await load(.duration).seconds) s, \(try await load(.tracks).count) tracks" }
    }

    /// Frames that are blank are transparent ones, and no codec that is read here has those.
    func trimmingBlankFramesFromFirstVideoTrack() async throws -> AVAsset {
        throw AVAssetTrack.VideoTrimmingError.codecNotSupported
    }
}

extension AVAssetTrack {
    enum VideoTrimmingError: Error {
        case codecNotSupported
    }

    var codec: VideoCodec? {
        get async throws {
            try await load(.formatDescriptions).first.map { VideoCodec(code: $0.mediaSubType.rawValue) }
        }
    }
    var codecTitle: String? { get async throws { try await codec?.description } }

    func extractToNewAsset() async throws -> AVAsset? {
        let composition = AVMutableComposition()
        guard let track = composition.addMutableTrack(withMediaType: mediaType, preferredTrackID: trackID) else {
            return nil
        }
        let (range, transform) = try await load(.timeRange, .preferredTransform)
        try track.insertTimeRange(range, of: self, at: .zero)
        track.preferredTransform = transform
        return composition
    }
}
