import Foundation
import Glibc
import TestSupport
import Testing

/// The lab's camera behind libcamera: the kernel's vimc, of which libcamera makes the camera "Sensor B".
enum LabPipeline {
    /// The value of `--camera`.
    static let camera = "libcamera:Sensor B"
    /// Every version of libcamera has this size unchanged: 0.0.3 rounds to multiples of 6.
    static let size = "642x480"
    /// Frames a second in virtual time.
    static let rate = 50.0

    /// Returns the path of a node by its name in sysfs, such as "Raw Capture 0" or "Sensor B".
    static func node(named name: String) throws -> String {
        let folder = "/sys/class/video4linux"
        let nodes = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let node = nodes.first { node in
            let text = try? String(contentsOfFile: "\(folder)/\(node)/name", encoding: .utf8)
            return text?.trimmingCharacters(in: .whitespacesAndNewlines) == name
        }
        return "/dev/" + (try #require(node, "\(name) is not among \(nodes)"))
    }

    /// Runs next to the test: the driver may wait for programs that use the camera.
    static func unplug() -> LabCommand { LabCommand("echo vimc.0 > /sys/bus/platform/drivers/vimc/unbind") }

    static func plugIn() { #expect(LabCommand.run("echo vimc.0 > /sys/bus/platform/drivers/vimc/bind") == 0) }

    /// Sends a signal to every helper; false if there is none. The kernel keeps fifteen bytes of its name.
    static func signal(_ number: Int32) -> Bool {
        LabCommand.run("kill -\(number) $(pgrep -x recorder-libcam)") == 0
    }

    /// True if there is a helper, and each of its threads has a filter of system calls and gets no new privileges
    /// (proc_pid_status(5)). The threads that a library starts before `main` are among them.
    static func isRestricted() -> Bool {
        let script = """
            count=0
            for thread in /proc/$(pgrep -o -x recorder-libcam)/task/*/status; do
                grep -q '^Seccomp:.2$' "$thread" && grep -q '^NoNewPrivs:.1$' "$thread" || exit 1
                count=$((count + 1))
            done
            [ "$count" -ge 2 ]
            """
        return LabCommand.run(script) == 0
    }

    /// The options of a recording of this camera.
    static func arguments(output: String, more: [String] = []) -> [String] {
        ["--camera", "'\(camera)'", "--size", size, "--preset", "ultrafast", "--output", output] + more
    }
}
