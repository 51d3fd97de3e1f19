import Foundation

/// A network camera of another program, GStreamer's RTSP server (`Tests/Support/CameraServer`). It ends with this
/// object.
public final class CameraServer: Sendable {
    private let port: Int
    private let program: ChildProgram

    /// - Parameters:
    ///   - options: options of `camera_server.py`.
    ///   - directory: directory for its log.
    /// - Throws: the server's error output if it does not start.
    public init(_ options: [String] = [], in directory: TemporaryDirectory) throws {
        (program, port) = try Loopback.serve(errors: directory.path("camera-server.log")) { port in
            // The system's Python has the bindings of GStreamer.
            ChildProgram.Launch(
                "/usr/bin/python3",
                [Project.path("Tests/Support/CameraServer/camera_server.py"), "\(port)"] + options)
        }
    }

    /// - Parameter path: the codecs, such as `h264+aac`.
    public func url(_ path: String) -> String { "rtsp://127.0.0.1:\(port)/\(path)" }

    deinit {
        program.send(SIGKILL)
        _ = program.wait()
    }
}
