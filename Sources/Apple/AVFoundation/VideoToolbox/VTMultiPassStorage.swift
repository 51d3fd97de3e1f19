public import Foundation
import MediaCodecs
import RealTime

/// The statistics that the first pass stores for the second pass.
public final class VTMultiPassStorage: Sendable {
    private let statistics: Locked<PassStatistics?>

    init(_ statistics: PassStatistics) { self.statistics = Locked(statistics) }

    /// The statistics and their files; nil after the storage was closed.
    var open: PassStatistics? { statistics.withLock { $0 } }

    fileprivate func close() -> Bool {
        statistics.withLock { statistics in
            defer { statistics = nil }
            return statistics != nil
        }
    }
}

/// Creates storage for the statistics of a first pass. The statistics are deleted when the storage is released.
///
/// - Parameters:
///   - fileURL: a file in the directory for the statistics, or nil for the directory of temporary files.
///   - timeRange: has no effect, because the statistics always contain all frames.
@discardableResult
public func VTMultiPassStorageCreate(
    allocator: CFAllocator?, fileURL: CFURL?, timeRange: CMTimeRange, options: CFDictionary?,
    multiPassStorageOut: UnsafeMutablePointer<VTMultiPassStorage?>
) -> OSStatus {
    let parent = fileURL?.deletingLastPathComponent ?? FileManager.default.temporaryDirectory
    guard let statistics = try? PassStatistics(in: parent) else { return kVTMultiPassStorageInvalidErr }
    multiPassStorageOut.pointee = VTMultiPassStorage(statistics)
    return noErr
}

/// Deletes the statistics. A pass that uses them must have ended.
@discardableResult
public func VTMultiPassStorageClose(_ multiPassStorage: VTMultiPassStorage) -> OSStatus {
    multiPassStorage.close() ? noErr : kVTMultiPassStorageInvalidErr
}
