import AssetIO
public import Foundation
import MediaTypes

/// What a piece of a movie in segments is.
public enum AVAssetSegmentType: Int, Sendable {
    /// The tracks' formats, without samples.
    case initialization = 1
    /// Samples, which can be decoded with the initialization segment alone.
    case separable = 2
}

/// What a segment holds. Does not change.
public final class AVAssetSegmentReport: NSObject, Sendable {
    public let segmentType: AVAssetSegmentType
    public let trackReports: [AVAssetSegmentTrackReport]

    /// - Parameter sessionStart: where the stream's time begins on the samples' clock.
    init(_ report: AssetSegment.Report, sessionStart: MediaTime) {
        segmentType = .separable
        trackReports = report.tracks.map { AVAssetSegmentTrackReport($0, sessionStart: sessionStart) }
    }
}

/// What a segment holds of one track. Does not change.
public final class AVAssetSegmentTrackReport: NSObject, Sendable {
    public let trackID: CMPersistentTrackID
    public let mediaType: AVMediaType
    /// When the first of its samples is shown, on the clock of the samples that were appended.
    public let earliestPresentationTimeStamp: CMTime
    public let duration: CMTime
    /// Of a video track.
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

/// Where a sample is in its segment. Does not change.
public final class AVAssetSegmentReportSampleInformation: NSObject, Sendable {
    public let presentationTimeStamp: CMTime
    /// Bytes from the segment's first one.
    public let offset: Int
    /// In bytes.
    public let length: Int
    public let isSyncSample: Bool

    init(_ sample: AssetSegment.SampleReport, sessionStart: MediaTime) {
        presentationTimeStamp = CMTime(sample.presentationTime + sessionStart)
        offset = sample.offset
        length = sample.byteCount
        isSyncSample = sample.isKeyFrame
    }
}
