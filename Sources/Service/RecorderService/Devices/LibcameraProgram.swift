import CommandInterface
import FileSystem
import Glibc
package import LibcameraCapture
import MediaTypes
import RecorderStorage

/// The program `recorder-libcamera`, which runs a camera behind libcamera. It is in a separate package, because each
/// version of libcamera needs a different build of it.
package struct LibcameraProgram: Sendable {
    private let places: [String]

    /// - Parameter places: The paths at which the program may be; the first one that exists is used.
    package init(places: [String] = LibcameraProgram.standardPlaces) { self.places = places }

    /// The paths at which this recorder looks for the program.
    package static var standardPlaces: [String] {
        places(ofRecorder: ProcessText.executable ?? "/usr/bin/recorder")
    }

    /// Returns the paths for a recorder, which are below its own prefix or below `/usr`. If the recorder was built from
    /// source, the program is in the build directory.
    static func places(ofRecorder path: String) -> [String] {
        let name = "recorder-libcamera"
        let directory = path.parentDirectory
        let installed = ["\(directory)/../libexec/recorder/\(name)", "/usr/libexec/recorder/\(name)"]
        return directory.contains("/.build/") ? ["\(directory)/../../\(name)/\(name)"] + installed : installed
    }

    /// The program's path; nil if it is not installed.
    package var path: String? { places.first { access($0, X_OK) == 0 } }

    /// A launcher that starts the program. Each call starts one process; the returned value can end that process.
    package var launcher: HelperLauncher {
        HelperLauncher { (socket: Int32) throws(MediaError) -> HelperProgram in
            let process = try start(socket)
            return HelperProgram(process: process)
        }
    }

    /// Starts the program with the socket as its descriptor 3. Log messages of the program and of libcamera go to the
    /// standard error of this process.
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

    /// Returns the program's environment. Messages of libcamera below the level of a warning are for its developers, so
    /// they are switched off unless the user has set LIBCAMERA_LOG_LEVELS.
    static func environment(of own: [String: String]) -> [String: String] {
        var environment = ServiceVariables.removed(from: own)
        if environment["LIBCAMERA_LOG_LEVELS"] == nil { environment["LIBCAMERA_LOG_LEVELS"] = "*:WARN" }
        return environment
    }
}
