import AVFoundation
import Foundation

// NextLevel SOURCE TARGET: records the first and the second two seconds of a movie as clips, and merges them.
let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    FileHandle.standardError.write(Data("NextLevel SOURCE TARGET\n".utf8))
    exit(64)
}

let target = URL(fileURLWithPath: arguments[2])
let session = NextLevelSession()
session.outputDirectory = target.deletingLastPathComponent().path
let recorder = try Recorder(movie: URL(fileURLWithPath: arguments[1]), session: session)
for end in [2.0, 4.0] {
    let clip = try await recorder.record(until: CMTime(seconds: end, preferredTimescale: 600))
    print("clip \(clip.url?.path ?? "")")
    print("rate \(clip.frameRate)")
    print("first \(clip.thumbnailImage?.cgImage.width ?? 0)")
    print("last \(clip.lastFrameImage?.cgImage.width ?? 0)")
}
print("total \(session.totalDuration.seconds)")
let merged: URL = try await withCheckedThrowingContinuation { continuation in
    session.mergeClips(usingPreset: AVAssetExportPresetHighestQuality) { url, error in
        if let url, error == nil {
            continuation.resume(returning: url)
        } else {
            continuation.resume(throwing: error ?? NextLevelError.unknown)
        }
    }
}
try FileManager.default.moveItem(at: merged, to: target)
