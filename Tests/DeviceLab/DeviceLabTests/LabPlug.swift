import Foundation
import Glibc
import TestSupport
import Testing

/// Connects and disconnects the lab's devices.
enum LabPlug {
    private static func drive(_ driver: String, _ device: String, _ verb: String) -> Int32 {
        LabCommand.run("echo \(device) > /sys/bus/platform/drivers/\(driver)/\(verb)")
    }

    /// Runs next to the test.
    static func unplugCamera() -> LabCommand { LabCommand("echo vivid.0 > /sys/bus/platform/drivers/vivid/unbind") }

    /// Waits until the programs have closed the camera that was unplugged, because its number is not free before.
    static func plugInCamera() throws {
        #expect(eventually(within: 10, every: 0.01) { isClosed })
        #expect(drive("vivid", "vivid.0", "bind") == 0)
    }

    /// True if no program has a camera of the driver open. An open file counts as a use of its driver's module until the
    /// kernel has released it and its number, which may be after close(2) and after /proc/PID/fd shows it no longer.
    private static var isClosed: Bool {
        (try? String(contentsOfFile: "/sys/module/vivid/refcnt", encoding: .utf8)) == "0\n"
    }

    static func unplugMicrophone() -> LabCommand {
        LabCommand("echo snd_aloop.0 > /sys/bus/platform/drivers/snd_aloop/unbind")
    }
    static func plugInMicrophone() throws {
        #expect(drive("snd_aloop", "snd_aloop.0", "bind") == 0)
        try #require(eventually { access("/dev/snd/pcmC0D1c", R_OK | W_OK) == 0 })
    }
}
