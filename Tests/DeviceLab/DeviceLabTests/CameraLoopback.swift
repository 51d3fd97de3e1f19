import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import Capture

/// Runs `body` while FFmpeg feeds the lab's loopback camera, /dev/video9, with 640×360 at 30 fps.
///
/// - Parameters:
///   - encoding: FFmpeg's options, such as `-c:v mjpeg`.
///   - body: receives the feeding program.
func withLoopbackCamera(_ encoding: String, _ body: (LabCommand) throws -> Void) throws {
    try reloadLoopback()
    let feed = LabCommand(
        "exec ffmpeg -v error -re -f lavfi -i testsrc2=s=640x360:r=30 \(encoding) -f v4l2 /dev/video9")
    defer {
        feed.end()
        try? reloadLoopback()
    }
    // The device becomes a camera once the feed has set its format.
    try #require(eventually(within: 20) { (try? V4L2Device(path: "/dev/video9")) != nil })
    try body(feed)
}

func withLoopbackCamera(_ encoding: String, _ body: () throws -> Void) throws {
    try withLoopbackCamera(encoding) { _ in try body() }
}

/// Reloads v4l2loopback as the lab loaded it: after its feed has ended, it accepts no other (0.12.7).
func reloadLoopback() throws { try reloadLoopback(as: 9) }

/// Reloads v4l2loopback, once every program has closed it, as the camera /dev/videoNUMBER.
func reloadLoopback(as number: Int) throws {
    let script = """
        if [ -e /sys/module/v4l2loopback ]; then rmmod v4l2loopback || exit; fi
        modprobe v4l2loopback video_nr=\(number) exclusive_caps=1 && test -e /sys/class/video4linux/video\(number)
        """
    try #require(eventually(every: 0.1) { LabCommand.run(script) == 0 })
    try #require(eventually { access("/dev/video\(number)", R_OK | W_OK) == 0 })
}
