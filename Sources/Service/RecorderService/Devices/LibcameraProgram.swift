import CommandInterface
import FileSystem
import Glibc
package import LibcameraCapture
import MediaTypes
import RecorderStorage

/// The program `recorder-libcamera`, which runs a camera behind libcamera. It is in a package of its own, because each
/// version of libcamera needs another one.
package struct LibcameraProgram: Sendable {
    private let places: [String]

    /// - Parameter places: The paths at which the program may be; the first one that exists is used.
    package init(places: [String] = LibcameraProgram.standardPlaces) { self.places = places }

    /// The paths at which this recorder looks for the program.
    package static var standardPlaces: [String] {
        places(ofRecorder: ProcessText.executable ?? "/usr/bin/recorder")
    }

    /// Returns the paths for a recorder: below its own prefix, or below `/usr`. One that was built from source has the
    /// program in its build directory.
    static func places(ofRecorder path: String) -> [String] {
        let name = "recorder-libcamera"
        let directory = path.parentDirectory
        let installed = ["\(directory)/../libexec/recorder/\(name)", "/usr/libexec/recorder/\(name)"]
        return directory.contains("/.build/") ? ["\(directory)/../../\(name)/\(name)"] + installed : installed
    }

    /// The program's path; nil if it is not installed.
    package var path: String? { places.first { access($0, X_OK) == 0 } }

    /// The start of the program. Each call starts one process, which the returned value ends.
    package var launcher: HelperLauncher {
        HelperLauncher { (socket: Int32) throws(MediaError) -> HelperProgram in
            let process = try start(socket)
            return HelperProgram(process: process)
        }
    }

    /// Starts the program with the socket as its descriptor 3. What it and libcamera log goes where this process logs.
    private func start(_ socket: Int32) throws(MediaError) -> Int32 {
        let action = "cannot start recorder-libcamera"
        guard let path else {
            throw MediaError(
                .notFound, action, reason: "it is not installed",
                wayOut: "cameras behind libcamera need it: `apt install recorder-libcamera`")
        }
        var launch = ProgramLaunch(
            [path],
            descriptors: [
                .file("/dev/null", O_RDONLY), .file("/dev/null", O_WRONLY), .copy(2), .copy(socket),
            ])
        launch.environment = Self.environment(of: ProcessText.environment)
        return try launch.start(action)
    }

    /// Returns the program's environment. libcamera's messages below a warning are for its developers, so they are
    /// switched off, unless the user has switched something on.
    static func environment(of own: [String: String]) -> [String: String] {
        var environment = ServiceVariables.removed(from: own)
        if environment["LIBCAMERA_LOG_LEVELS"] == nil { environment["LIBCAMERA_LOG_LEVELS"] = "*:WARN" }
        return environment
    }
}
