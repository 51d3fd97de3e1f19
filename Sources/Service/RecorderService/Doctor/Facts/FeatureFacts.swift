import CommandInterface
import FileSystem
import Glibc
import MediaCodecs
import MediaTypes

/// A feature that needs a program, a library or a font. Any of these may be missing.
struct FeatureFacts: Sendable, Equatable {
    /// The feature, such as "copying (`recorder copy`)".
    var name: String
    /// The programs that the feature starts; empty if it needs none.
    var programs: [String] = []
    var missingPrograms: [String] = []
    /// The reason why a library or font cannot be used.
    var problem: MediaError?
    /// The recorders whose settings need the feature.
    var users: [String]
    /// True if these recorders cannot record without the feature.
    var isRequired = false

    /// Finds the programs, libraries and fonts that each feature needs. Loads the libraries, and therefore blocks for
    /// some tenths of a second.
    ///
    /// Slurm's programs are not included, because only a cluster needs them. `recorder archive run` reports them if
    /// they are missing.
    ///
    /// - Parameter environment: The variable `PATH`.
    static func read(_ recorders: [DoctorRecorder], environment: [String: String]) -> [FeatureFacts] {
        let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        func lacking(_ programs: [String]) -> [String] { programs.filter { !isInstalled($0, in: path) } }
        let copying = recorders.filter { $0.configuration.copies.remote != nil }
        let published = recorders.filter { access("/etc/recorder/\($0.name).publish", F_OK) == 0 }
        var features = [
            FeatureFacts(
                name: "copies on another machine", programs: ["rclone"], missingPrograms: lacking(["rclone"]),
                users: copying.map(\.name)),
            FeatureFacts(
                name: "publishing", programs: ["curl", "ffmpeg"], missingPrograms: lacking(["curl", "ffmpeg"]),
                users: published.map(\.name)),
        ]
        let stamped = recorders.filter { $0.configuration.frameStage.stamp.isActive }
        for recorder in stamped {
            features.append(
                FeatureFacts(
                    name: "the stamp",
                    problem: stampProblem(of: recorder.configuration.frameStage.stamp, name: recorder.name),
                    users: [recorder.name], isRequired: true))
        }
        if stamped.isEmpty {
            features.append(
                FeatureFacts(name: "the stamp", problem: stampProblem(of: FrameStamp(), name: ""), users: []))
        }
        for choice in [VideoCodecChoice.hevc, .av1] {
            let users = recorders.filter { $0.configuration.video.choice == choice }.map(\.name)
            guard !users.isEmpty else { continue }
            features.append(
                FeatureFacts(
                    name: "encoding \(choice.rawValue)", problem: encoderProblem(choice), users: users,
                    isRequired: true))
        }
        features.append(FeatureFacts(name: "deinterlacing and tone mapping", problem: FilterSupport.problem, users: []))
        return features
    }

    /// Returns true if a program is in one of the directories of `PATH`.
    static func isInstalled(_ program: String, in path: String) -> Bool {
        path.split(separator: ":").contains { $0.hasPrefix("/") && access("\($0)/\(program)", X_OK) == 0 }
    }

    /// Returns the reason why this machine has no encoder for a codec; nil if it has one.
    private static func encoderProblem(_ choice: VideoCodecChoice) -> MediaError? {
        do throws(MediaError) {
            _ = try LibavVideoCodec(VideoCodec(rawValue: choice.rawValue))
            return nil
        } catch { return error }
    }

    /// Returns the reason why the stamp's font cannot be used; nil if it can.
    private static func stampProblem(of stamp: FrameStamp, name: String) -> MediaError? {
        do throws(MediaError) {
            _ = try StampPainter(stamp, name: name)
            return nil
        } catch { return error }
    }
}
