import AVFoundation
import Foundation

// exporter SOURCE TARGET CODEC WIDTH HEIGHT aac|pcm
let arguments = CommandLine.arguments
guard arguments.count == 7, let width = Int(arguments[4]), let height = Int(arguments[5]) else {
    FileHandle.standardError.write(Data("exporter SOURCE TARGET h264|hevc WIDTH HEIGHT aac|pcm\n".utf8))
    exit(64)
}

let exporter = NextLevelSessionExporter(withAsset: AVAsset(url: URL(fileURLWithPath: arguments[1])))
exporter.outputFileType = .mov
exporter.outputURL = URL(fileURLWithPath: arguments[2])
exporter.videoOutputConfiguration = [
    AVVideoCodecKey: arguments[3] == "hevc" ? AVVideoCodecType.hevc : AVVideoCodecType.h264,
    AVVideoWidthKey: NSNumber(value: width),
    AVVideoHeightKey: NSNumber(value: height),
    AVVideoScalingModeKey: AVVideoScalingModeResizeAspectFill,
    AVVideoCompressionPropertiesKey: [AVVideoAverageBitRateKey: NSNumber(value: 1_000_000)] as [String: Any],
]
if arguments[6] == "aac" {
    exporter.audioOutputConfiguration = [
        AVFormatIDKey: kAudioFormatMPEG4AAC, AVEncoderBitRateKey: NSNumber(value: 128_000),
        AVNumberOfChannelsKey: NSNumber(value: 2), AVSampleRateKey: NSNumber(value: 44_100),
    ]
}
exporter.export(
    progressHandler: { _ in },
    completionHandler: { result in
        switch result {
        case .success(let status):
            print("status \(status.rawValue)")
            exit(status == .completed ? 0 : 1)
        case .failure(let error):
            print("failed: \(error)")
            exit(1)
        }
    })
dispatchMain()
