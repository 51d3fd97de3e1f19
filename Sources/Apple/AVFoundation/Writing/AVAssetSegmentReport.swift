import AssetIO
public import Foundation
import MediaTypes

/// The type of a segment.
public enum AVAssetSegmentType: Int, Sendable {
    /// A segment with the tracks' formats, but without samples.
    case initialization = 1
    /// A segment with samples. Decoding them requires only this segment and the initialization segment.
    case separable = 2
}

/// The contents of a segment. Immutable.
public final class AVAssetSegmentReport: NSObject, Sendable {
    public let segmentType: AVAssetSegmentType
    public let trackReports: [AVAssetSegmentTrackReport]

    /// - Parameter sessionStart: the start of the stream, measured by the clock of the appended samples.
    init(_ report: AssetSegment.Report, sessionStart: MediaTime) {
        segmentType = .separable
        trackReports = report.tracks.map { AVAssetSegmentTrackReport($0, sessionStart: sessionStart) }
    }
}

/// The contents of one track in a segment. Immutable.
public final class AVAssetSegmentTrackReport: NSObject, Sendable {
    public let trackID: CMPersistentTrackID
    public let mediaType: AVMediaType
    /// The timestamp of the track's first sample in the segment, measured by the clock of the appended samples.
    public let earliestPresentationTimeStamp: CMTime
    public let duration: CMTime
    /// Information about the first sample of a video track; nil for other tracks.
    public let firstVideoSampleInformation: AVAssetSegmentReportSampleInformation?

    init(_ report: AssetSegment.TrackReport, sessionStart: MediaTime) {
        trackID = CMPersistentTrackID(clamping: report.trackID)
        mediaType = AVMediaType(report.mediaType)
        earliestPresentationTimeStamp = CMTime(report.earliestPresentation + sessionStart)
        duration = CMTime(report.duration)
        firstVideoSampleInformation =
            report.mediaType == .video
            ? AVAssetSegmentReportSampleInformation(report.firstSample, sessionStart: sessionStart) : nil
    }
}

/// The position of a sample in its segment. Immutable.
public final class AVAssetSegmentReportSampleInformation: NSObject, Sendable {
    public let presentationTimeStamp: CMTime
    /// The distance in bytes from the start of the segment.
    public let offset: Int
    /// The length in bytes.
    public let length: Int
    public let isSyncSample: Bool

    init(_ sample: AssetSegment.SampleReport, sessionStart: MediaTime) {
        presentationTimeStamp = CMTime(sample.presentationTime + sessionStart)
        offset = sample.offset
        length = sample.byteCount
        isSyncSample = sample.isKeyframe
    }
}
