import AVFoundation
import Foundation

// audiokit SOURCE TARGET RATE BITS CHANNELS: 0 keeps the source's value
let arguments = CommandLine.arguments
guard arguments.count == 6, let rate = Double(arguments[3]), let bits = UInt32(arguments[4]),
    let channels = UInt32(arguments[5])
else {
    FileHandle.standardError.write(Data("audiokit SOURCE TARGET RATE BITS CHANNELS\n".utf8))
    exit(64)
}

var options = FormatConverter.Options()
options.sampleRate = rate > 0 ? rate : nil
options.bitDepth = bits > 0 ? bits : nil
options.channels = channels > 0 ? channels : nil
options.bitDepthRule = .any
let converter = FormatConverter(
    inputURL: URL(fileURLWithPath: arguments[1]), outputURL: URL(fileURLWithPath: arguments[2]), options: options)
let isDone = DispatchSemaphore(value: 0)
var failure: (any Error)?
converter.start { error in
    failure = error
    isDone.signal()
}
guard isDone.wait(timeout: .now() + 60) == .success else {
    print("failed: no answer within a minute")
    exit(1)
}
if let failure {
    print("failed: \(failure.localizedDescription)")
    exit(1)
}
