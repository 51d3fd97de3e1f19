import FakeNetworkDevices
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import NetworkCapture

extension SampleBuffer {
    /// A frame of H.264 with a number of bytes.
    static func frame(_ milliseconds: Int64, _ count: Int = 1, isKeyframe: Bool = false) -> SampleBuffer {
        SampleBuffer(
            format: .video(VideoFormat(codec: .h264, width: 64, height: 32)),
            content: .data(MediaData([UInt8](repeating: 0, count: count))),
            presentationTime: MediaTime(value: milliseconds, timescale: 1000), isKeyframe: isKeyframe)
    }
}

extension NetworkCamera {
    static func opened(_ setup: NetworkCameraSetup) throws -> NetworkCamera {
        try NetworkCamera(setup, try setup.credentials(), link: NetworkLink(), resolver: NameResolver())
    }
}

/// Opens a camera, interrupts that once the server has had these requests, and expects that the opening ends at once.
func expectInterruption(
    of setup: NetworkCameraSetup, _ server: FakeNetworkCamera, after requests: [String]
) async throws {
    let camera = ReconnectingNetworkCamera(setup)
    let opening = Task.detached {
        await blockingCall("open-camera") { () -> MediaError.Code? in
            do throws(MediaError) {
                _ = try camera.open()
                return nil
            } catch {
                return error.code
            }
        }
    }
    try await waitUntil { server.requests == requests }
    let start = MonotonicClock().nanoseconds
    camera.interrupt()
    #expect(await opening.value == .cancelled)
    #expect(MonotonicClock().nanoseconds - start < 5_000_000_000)
}
