import AVFoundation
import Foundation

// SolderScope TARGET: records the test camera for three seconds
let arguments = CommandLine.arguments
guard arguments.count == 2 else {
    FileHandle.standardError.write(Data("SolderScope TARGET\n".utf8))
    exit(64)
}

/// The program writes into the user's folder of movies, under a name with the time.
func recordings(in folder: URL) -> Set<String> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return Set(names.filter { $0.hasPrefix("SolderScope_") && !$0.contains(".recording.") })
}

@MainActor func record(to target: URL) async throws -> Bool {
    let folder = FileManager.default.urls(for: .moviesDirectory, in: .userDomainMask)[0]
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let known = recordings(in: folder)
    AVCaptureDevice.includesTestDevices = true
    let (manager, recorder) = (CaptureManager(), RecordingManager())
    await manager.enumerateCameras()
    guard let camera = manager.availableCameras.first(where: { $0.id == "test-camera" }) else { return false }
    await manager.selectCamera(camera)
    print("format \(manager.currentFormat?.id ?? "")")
    await recorder.startRecording(from: manager, resolution: CGSize(width: 640, height: 360))
    FrameProcessor.forward = { recorder.writeFrame($0, timestamp: CMClockGetTime(CMClockGetHostTimeClock())) }
    try await Task.sleep(nanoseconds: 3_000_000_000)
    FrameProcessor.forward = nil
    print("connected \(manager.isConnected), frames \(manager.currentFPS > 0)")
    recorder.stopRecording()
    await manager.stopCapture()
    for _ in 0..<300 {
        if let made = recordings(in: folder).subtracting(known).first {
            try FileManager.default.moveItem(at: folder.appendingPathComponent(made), to: target)
            return true
        }
        try await Task.sleep(nanoseconds: 100_000_000)
    }
    return false
}

guard try await record(to: URL(fileURLWithPath: arguments[1])) else {
    print("nothing was recorded")
    exit(1)
}
