import AVFoundation
import Foundation

// Cabbage SOURCE TARGET: prints times and ranges, and writes the movie without its second second
let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    FileHandle.standardError.write(Data("Cabbage SOURCE TARGET\n".utf8))
    exit(64)
}

let (two, half): (Int32, Float64) = (2, 0.5)
var time = CMTime(seconds: 1.5 as Float64)
print("times \((time * two).f64) \((half * time).f64) \((time / two).f64) \(time.cb_time().timescale)")
time *= half
print("compared \(time == 0.75 as Float64) \(time < 1 as Float64) \(time >= 0.5 as Float) \(1 as Float64 > time)")

func range(_ start: Float64, _ end: Float64) -> CMTimeRange {
    CMTimeRange(start: CMTime(seconds: start), end: CMTime(seconds: end))
}
func words(_ ranges: [CMTimeRange]) -> String {
    ranges.map { "\($0.start.f64)-\($0.end.f64)" }.joined(separator: " ")
}
print("slices \(words(CMTimeRange.sliceTimeRanges(for: range(0, 4), timeRange2: range(1, 3))))")
print("overlap \(words(CMTimeRange.sliceTimeRanges(for: range(0, 3), timeRange2: range(2, 5))))")
let left = range(0, 4).substruct(range(1, 2))
print("left \(words(left))")

let asset = AVURLAsset(url: URL(fileURLWithPath: arguments[1]))
let composition = AVMutableComposition()
for part in left {
    try await composition.insertTimeRange(part, of: asset, at: composition.duration)
}
guard let export = AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality) else {
    print("no export session")
    exit(1)
}
try await export.export(to: URL(fileURLWithPath: arguments[2]), as: .mov)
