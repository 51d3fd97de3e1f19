import Foundation

/// ALSA's configuration with a microphone `drifting`, whose clock is off by a number of parts per million, and its
/// module for alsa-lib. It records a beep at each full second of the monotonic clock, when the built-in test camera
/// flashes.
public struct DriftingMicrophone {
    /// The value of ALSA_CONFIG_PATH.
    public let configuration: String

    /// - Parameter ppm: the microphone's drift; positive if its clock is faster than the system's.
    /// - Throws: the C compiler's errors.
    public init(ppm: Int, in directory: TemporaryDirectory) throws {
        let source = Project.path("Tests/Support/DriftingMicrophone/drifting.c")
        let module = directory.path("libasound_module_pcm_drifting.so")
        let built = try Command.run(
            "cc", "-std=c17", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-DPIC", "-o",
            module, source, "-lasound", "-lm")
        guard built.status == 0 else { throw Command.Failure(description: built.errors) }
        configuration = directory.path("asound.conf")
        let text = """
            </usr/share/alsa/alsa.conf>
            pcm_type.drifting { lib "\(module)" }
            pcm.drifting { type drifting ppm \(ppm) }

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
    }
}
